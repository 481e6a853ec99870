import { createServer } from 'node:http';
import { work, workParams } from './work.js';
import { WorkLog } from './work-log.js';

/**
 * An agent process of faults that is only an HTTP endpoint. Environment: AGENT_PORT, AGENT_INSTANCE, WORK_LOG (file),
 * AGENT_REFUSES (`true`: answers 503 to everything). Says `ready` to its parent when it listens; the test registers it.
 */
const { AGENT_PORT = '', AGENT_INSTANCE = 'a', WORK_LOG = '', AGENT_REFUSES } = process.env;
const log = new WorkLog(WORK_LOG);

const server = createServer((request, response) => {
  const answer = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  if (request.method === 'GET') return answer(200, { ok: true });
  if (AGENT_REFUSES === 'true') return answer(503, { error: { message: 'busy' } }, { 'retry-after': '1' });
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const gone = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const requestId = String(request.headers['reach-request-id'] ?? '');
    work(log, AGENT_INSTANCE, requestId, workParams(JSON.parse(body) as Record<string, unknown>), gone.signal).then(
      (result) => answer(200, result),
      (error: unknown) => answer(500, { error: { message: String(error) } }),
    );
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(AGENT_PORT), '127.0.0.1', () => {
  process.send?.('ready');
  process.channel?.unref();
});
process.on('SIGTERM', () => process.exit(0));
