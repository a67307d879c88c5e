"""The whole graph made anew beside the one that answers, proved, and put in its place."""
