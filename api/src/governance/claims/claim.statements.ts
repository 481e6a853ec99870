/** Named, so that each connection parses and plans it once. */
export const WRITE = {
  name: 'claims_write',
  /**
   * One batch in one statement, and so in one transaction and one round trip. Each key stands in it at most once. Only
   * counts come back: how many claims were made and moved says whether anybody has to be looked up.
   *
   * `head` is read, not locked: a batch that commits in the very moment in which a newer server takes over leaves a row
   * that names its dispatch, which the newer server finds and asks its instance about.
   *
   * $1 our epoch; $2 to $10 claims; $11 to $15 moves; $16 to $20 outcomes; $21 to $23 releases.
   */
  text: `
WITH head AS MATERIALIZED (
  SELECT FROM audit_head WHERE id = 1 AND node_epoch = $1
), claimed AS (
  INSERT INTO claims AS known (caller, request_id, namespace, target, capability, params_hash, state, node_epoch,
                               instance, incarnation, dispatch_id, expires_at)
  SELECT c.caller, c.request_id, c.namespace, c.target, c.capability, c.params_hash, 'RUNNING', $1,
         c.instance, c.incarnation, c.dispatch_id, now() + interval '24 hours'
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[])
      AS c(caller, request_id, namespace, target, capability, params_hash, instance, incarnation, dispatch_id)
   WHERE EXISTS (SELECT FROM head)
  ON CONFLICT (caller, request_id) DO UPDATE
     SET namespace = excluded.namespace, target = excluded.target, capability = excluded.capability,
         params_hash = excluded.params_hash, state = excluded.state, node_epoch = excluded.node_epoch,
         instance = excluded.instance, incarnation = excluded.incarnation, dispatch_id = excluded.dispatch_id,
         result = NULL, created_at = now(), expires_at = excluded.expires_at
   WHERE known.expires_at <= now()
  RETURNING 1
), moved AS (
  UPDATE claims AS known
     SET instance = m.instance, incarnation = m.incarnation, dispatch_id = m.dispatch_id
    FROM unnest($11::text[], $12::text[], $13::text[], $14::text[], $15::text[])
      AS m(caller, request_id, instance, incarnation, dispatch_id)
   WHERE known.caller = m.caller AND known.request_id = m.request_id
     AND known.state = 'RUNNING' AND known.node_epoch = $1
     AND EXISTS (SELECT FROM head)
  RETURNING 1
), finished AS (
  UPDATE claims AS known
     SET state = f.state::"ClaimState", result = f.result
    FROM unnest($16::text[], $17::text[], $18::text[], $19::text[], $20::bytea[])
      AS f(caller, request_id, dispatch_id, state, result)
   WHERE known.caller = f.caller AND known.request_id = f.request_id
     AND known.dispatch_id = f.dispatch_id
     AND (known.state = 'RUNNING' OR known.state = 'UNKNOWN' AND f.state = 'DONE')
     AND EXISTS (SELECT FROM head)
), released AS (
  DELETE FROM claims AS known
   USING unnest($21::text[], $22::text[], $23::text[]) AS r(caller, request_id, dispatch_id)
   WHERE known.caller = r.caller AND known.request_id = r.request_id
     AND known.dispatch_id = r.dispatch_id AND known.state = 'RUNNING'
     AND EXISTS (SELECT FROM head)
)
SELECT (SELECT count(*) FROM head)::int AS head,
       (SELECT count(*) FROM claimed)::int AS claimed,
       (SELECT count(*) FROM moved)::int AS moved`,
} as const;

/** What stands where a claim or a move did not come through; without a row for what is there no more. */
export const LOOK_UP = {
  name: 'claims_look_up',
  text: `
SELECT k.position::int AS position, c.caller, c.request_id, c.namespace, c.target, c.capability, c.params_hash,
       c.state::text AS state, c.node_epoch::text AS node_epoch, c.instance, c.incarnation, c.dispatch_id, c.result
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(caller, request_id, dispatch_id, position)
  LEFT JOIN claims AS c
         ON c.caller = k.caller AND c.request_id = k.request_id AND c.expires_at > now()
 WHERE c.dispatch_id IS DISTINCT FROM k.dispatch_id`,
} as const;
