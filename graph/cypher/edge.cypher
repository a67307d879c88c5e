//: variable row
// What every believed edge carries. What is written first is read fastest, and every read tests
// the clocks; after them, what fills a property record of the store (four blocks) stands together.
// row[0] and row[1] are the ends. Null is left out: heard_at stands only where it is not
// recorded_from, opened_by where it is not the origin, imported where it is true,
// closed_at (recorded_to, for an index that no open edge is in) once it is closed.
{valid_from: row[2], valid_to: row[3], recorded_from: row[4], recorded_to: row[5],
 listeners: row[6], classification: row[7], landed_at: row[8], belief_id: row[9], trust: row[10],
 key: row[11], classified: row[12], origin: row[13], tenant: row[14], episode_id: row[15],
 predicate: row[16], source: row[17], verification: row[18], valid_from_basis: row[19],
 source_key: row[20], location: row[21], who: row[22], tags: row[23], heard_at: row[24],
 imported: row[25], opened_by: row[26], closed_by: row[27], reason: row[28],
 closed_at: row[29], fork: row[30]}
