//: variable row
// What every believed edge carries. The order matters: what is written first is read fastest,
// and every read tests the clocks. row[0] and row[1] are the ends.
{valid_from: row[2], valid_to: row[3], recorded_from: row[4], recorded_to: row[5],
 listeners: row[6], classification: row[7],
 belief_id: row[8], key: row[9], predicate: row[10], tenant: row[11],
 episode_id: row[12], origin: row[13], source: row[14], source_key: row[15],
 trust: row[16], classified: row[17], valid_from_basis: row[18], who: row[19], tags: row[20],
 landed_at: row[21], imported: row[22],
 opened_by: row[23], closed_by: row[24], reason: row[25]}
