import type { AuditRecord, CallDetails } from '@agent-reach/sdk/protocol';

/**
 * Prints the record of an ordinary call, one that succeeded and whose texts need no escapes, as JSON; undefined for any
 * other. There is one for every call, and JSON.stringify takes three times as long: it does not know that times have
 * three decimals and that texts are plain.
 */
export function printCall(record: AuditRecord): string | undefined {
  const { outcome, capability, instance, requestId, traceId, durationMs } = record;
  if (record.kind !== 'CALL' || record.action !== 'call' || outcome !== 'OK') return undefined;
  const details = record.details as Partial<CallDetails>;
  const { stages, policy, top, attempts, paramsHash, alias, replayed, need, cached, fallback, taskId } = details;
  if (record.onBehalfOf !== undefined || alias !== undefined || replayed !== undefined || need !== undefined)
    return undefined;
  if (cached !== undefined || fallback !== undefined || taskId !== undefined) return undefined;
  if (capability === undefined || instance === undefined || requestId === undefined || traceId === undefined)
    return undefined;
  if (stages === undefined || policy === undefined || top === undefined || attempts === undefined) return undefined;
  if (durationMs === undefined || paramsHash === undefined) return undefined;

  let texts = record.namespace + record.actor + record.target + capability + instance + requestId + policy.name;
  let topText = '';
  for (const { instance: ref, score } of top) {
    texts += ref;
    topText += `${topText === '' ? '' : ','}{"instance":"${ref}","score":${score}}`;
  }
  let attemptsText = '';
  for (const attempt of attempts) {
    texts += attempt.instance;
    attemptsText +=
      `${attemptsText === '' ? '' : ','}{"instance":"${attempt.instance}","outcome":"${attempt.outcome}",` +
      `"startedMs":${decimal(attempt.startedMs)},"decideMs":${decimal(attempt.decideMs)},` +
      `"queueMs":${decimal(attempt.queueMs)},"ackMs":${attempt.ackMs === null ? 'null' : decimal(attempt.ackMs)},` +
      `"durationMs":${decimal(attempt.durationMs)}}`;
  }
  if (!PLAIN.test(texts)) return undefined;
  const callerNamespace =
    record.callerNamespace === undefined ? '' : `"callerNamespace":${JSON.stringify(record.callerNamespace)},`;
  return (
    `{"occurredAt":${record.occurredAt},"kind":"CALL","namespace":"${record.namespace}","action":"call",` +
    `"actor":"${record.actor}","target":"${record.target}",${callerNamespace}"capability":"${capability}",` +
    `"instance":"${instance}","outcome":"OK","requestId":"${requestId}","traceId":"${traceId}",` +
    `"durationMs":${decimal(durationMs)},"attempts":${record.attempts},"details":{"stages":${printStages(stages)},` +
    `"policy":{"name":"${policy.name}","version":${policy.version},"strategy":"${policy.strategy}"},` +
    `"top":[${topText}],"attempts":[${attemptsText}],"paramsHash":"${paramsHash}"}}`
  );
}

/** Printable ASCII without the quote and the backslash: what JSON shows as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A number of at most three decimals; any other as JavaScript prints it. Two integers cost less than one fraction. */
function decimal(value: number): string | number {
  const thousandths = Math.round(value * 1000);
  if (thousandths / 1000 !== value || thousandths < 0 || thousandths > MAX_SMALL) return value;
  const rest = thousandths % 1000;
  const whole = (thousandths - rest) / 1000;
  if (rest === 0) return whole;
  return `${whole}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

const MAX_SMALL = 2 ** 30;

let lastCounts: readonly number[] = [];
let lastText = '';

/** The counts of one call are mostly those of the one before. */
function printStages(stages: CallDetails['stages']): string {
  const counts: number[] = [];
  for (const stage in stages) {
    const pair = stages[stage];
    if (pair !== undefined) counts.push(pair[0], pair[1]);
  }
  if (counts.length === lastCounts.length && counts.every((count, index) => count === lastCounts[index])) {
    return lastText;
  }
  lastCounts = counts;
  lastText = JSON.stringify(stages);
  return lastText;
}
