//: variable row
// What every believed edge carries. The order matters: what is written first is read fastest,
// and every read tests the clocks. row[0] and row[1] are the ends.
{valid_from: row[2], valid_to: row[3], recorded_from: row[4], recorded_to: row[5],
 listeners: row[6], classification: row[7],
 belief_id: row[8], key: row[9], predicate: row[10], tenant: row[11],
 episode_id: row[12], origin: row[13], source: row[14], source_key: row[15], location: row[16],
 trust: row[17], verification: row[18], classified: row[19], valid_from_basis: row[20],
 who: row[21], tags: row[22], landed_at: row[23], heard_at: row[24], imported: row[25],
 opened_by: row[26], closed_by: row[27], reason: row[28]}
