-- As `listens` where no listener asks for sources or tags: then they stay unread.
true
