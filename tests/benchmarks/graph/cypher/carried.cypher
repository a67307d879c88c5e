// What an edge without time carries of ours.
{predicate: r.predicate, belief_id: r.belief_id, origin: r.origin,
 episode_id: r.episode_id, source: r.source, source_key: r.source_key, trust: r.trust,
 classified: r.classified, who: r.who, tags: r.tags, landed_at: r.landed_at}
