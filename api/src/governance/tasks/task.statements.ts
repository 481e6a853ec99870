/** One task before it is sent, as WRITE takes it. Bytes are base64. */
export interface OpenedRow {
  readonly id: string;
  readonly caller: string;
  readonly request_id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly capability: string;
  readonly params_hash: string;
  readonly epoch: number;
  readonly instance: string;
  readonly incarnation: string;
  readonly dispatch_id: string;
  readonly idempotent: boolean;
  readonly request: string;
  readonly created_at: string;
  readonly deadline_at: string;
  readonly url: string | undefined;
  readonly secret: string | undefined;
}

/** Named, so that each connection parses it once. */
export const WRITE = {
  name: 'tasks_write',
  /**
   * One batch in one statement, and so in one transaction and one round trip: an end and its webhook become durable
   * together. Each task stands in it at most once, since a statement changes a row only once. What did not come through
   * is missing from the answer.
   *
   * $1 our epoch; $2 to $6, as JSON: opened, moved, ended, progressed, dropped.
   */
  text: `
WITH head AS MATERIALIZED (
  SELECT FROM audit_head WHERE id = 1 AND node_epoch = $1
), opened AS (
  INSERT INTO tasks (id, caller, request_id, namespace, agent, capability, params_hash, epoch, node_epoch, instance,
                     incarnation, dispatch_id, idempotent, request, created_at, updated_at, deadline_at)
  SELECT t.id, t.caller, t.request_id, t.namespace, t.agent, t.capability, t.params_hash, t.epoch, $1, t.instance,
         t.incarnation, t.dispatch_id, t.idempotent, decode(t.request, 'base64'), t.created_at, t.created_at,
         t.deadline_at
    FROM json_to_recordset($2::json)
      AS t(id text, caller text, request_id text, namespace text, agent text, capability text, params_hash text,
           epoch int, instance text, incarnation text, dispatch_id text, idempotent boolean, request text,
           created_at timestamptz, deadline_at timestamptz)
   WHERE EXISTS (SELECT FROM head)
  ON CONFLICT DO NOTHING
  RETURNING id
), hooked AS (
  INSERT INTO webhooks (task_id, url, secret)
  SELECT t.id, t.url, decode(t.secret, 'base64')
    FROM json_to_recordset($2::json) AS t(id text, url text, secret text)
    JOIN opened ON opened.id = t.id
   WHERE t.url IS NOT NULL
), moved AS (
  UPDATE tasks AS known
     SET epoch = m.epoch, node_epoch = $1, instance = m.instance, agent = m.agent, incarnation = m.incarnation,
         dispatch_id = m.dispatch_id, state = 'ACCEPTED', progress = NULL, updated_at = m.at
    FROM json_to_recordset($3::json)
      AS m(id text, epoch int, instance text, agent text, incarnation text, dispatch_id text, at timestamptz)
   WHERE known.id = m.id AND known.ended_at IS NULL AND known.epoch <= m.epoch AND EXISTS (SELECT FROM head)
  RETURNING known.id
), ended AS (
  UPDATE tasks AS known
     SET state = e.state::"TaskState", outcome = decode(e.outcome, 'base64'), request = NULL, ended_at = e.at,
         updated_at = e.at,
         progress = CASE WHEN e.progress_epoch = known.epoch THEN decode(e.progress, 'base64') ELSE known.progress END
    FROM json_to_recordset($4::json)
      AS e(id text, epoch int, state text, outcome text, progress text, progress_epoch int, at timestamptz)
   WHERE known.id = e.id AND known.epoch <= e.epoch
     AND (known.ended_at IS NULL OR known.state = 'UNKNOWN' AND e.state IN ('COMPLETED', 'FAILED'))
     AND EXISTS (SELECT FROM head)
  RETURNING known.id, e.at
), due AS (
  UPDATE webhooks SET next_at = ended.at, attempts = 0, delivered_at = NULL, last_error = NULL
    FROM ended
   WHERE webhooks.task_id = ended.id
  RETURNING 1
), progressed AS (
  UPDATE tasks AS known
     SET state = 'RUNNING', progress = decode(p.progress, 'base64'), updated_at = p.at
    FROM json_to_recordset($5::json) AS p(id text, epoch int, progress text, at timestamptz)
   WHERE known.id = p.id AND known.ended_at IS NULL AND known.epoch = p.epoch AND EXISTS (SELECT FROM head)
), dropped AS (
  DELETE FROM tasks AS known
   USING json_to_recordset($6::json) AS d(id text)
   WHERE known.id = d.id AND known.ended_at IS NULL AND EXISTS (SELECT FROM head)
)
SELECT (SELECT count(*) FROM head)::int AS head,
       (SELECT count(*) FROM due)::int AS due,
       ARRAY(SELECT id FROM opened UNION ALL SELECT id FROM moved UNION ALL SELECT id FROM ended) AS done`,
} as const;

export interface WriteAnswer {
  /** 0: another server took over. */
  readonly head: number;
  /** Webhooks that are due by it. */
  readonly due: number;
  /** The tasks that were opened, moved or ended. */
  readonly done: readonly string[];
}

/** What stands where something did not come through. */
export const LOOK_UP = {
  name: 'tasks_look_up',
  text: `
SELECT k.id AS asked, t.id, t.namespace, t.agent, t.capability, t.params_hash, t.dispatch_id,
       t.ended_at IS NOT NULL AS ended, encode(t.outcome, 'base64') AS outcome
  FROM json_to_recordset($1::json) AS k(id text, caller text, request_id text)
  JOIN tasks AS t ON t.caller = k.caller AND t.request_id = k.request_id
UNION ALL
SELECT k.id, t.id, t.namespace, t.agent, t.capability, t.params_hash, t.dispatch_id,
       t.ended_at IS NOT NULL, encode(t.outcome, 'base64')
  FROM json_to_recordset($1::json) AS k(id text, caller text)
  JOIN tasks AS t ON t.id = k.id
 WHERE k.caller IS NULL`,
} as const;

export interface FoundRow {
  /** The task of the operation that did not come through. */
  readonly asked: string;
  /** The one that stands there. */
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly capability: string;
  readonly params_hash: string;
  readonly dispatch_id: string;
  readonly ended: boolean;
  readonly outcome: string | null;
}
