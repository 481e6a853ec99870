import { createServer } from 'node:net';
import { ReachError } from '@agent-reach/sdk/protocol';
import type { Settings } from '../settings.js';

/**
 * Settings in which both ports are free, and a port 0 is replaced by a free one: the API must know the console's
 * address before the console runs, and a taken port should be reported before anything is started.
 * @throws ReachError CONFLICT naming the setting of each port that is taken.
 */
export async function withFreePorts(settings: Settings): Promise<Settings> {
  const port = await tryPort(settings.host, settings.port);
  const wantsConsole = settings.console === 'on';
  const consolePort = wantsConsole ? await tryPort(settings.host, settings.consolePort) : settings.consolePort;
  const taken = [
    ...(typeof port === 'string' ? [portTaken('REACH_PORT', settings.host, settings.port, port)] : []),
    ...(typeof consolePort === 'string'
      ? [portTaken('REACH_CONSOLE_PORT', settings.host, settings.consolePort, consolePort)]
      : []),
    ...(wantsConsole && settings.port !== 0 && settings.port === settings.consolePort
      ? ['REACH_PORT and REACH_CONSOLE_PORT must differ.']
      : []),
  ];
  if (typeof port === 'string' || typeof consolePort === 'string' || taken.length > 0) {
    throw new ReachError('CONFLICT', [...new Set(taken)].join('\n'));
  }
  return { ...settings, port, consolePort };
}

/** One sentence that says what is in the way and what to do. */
export function portTaken(setting: string, host: string, port: number, code: string): string {
  const reason: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another program`,
    EACCES: `Port ${port} on ${host} needs more rights than this user has`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `${host} is not an address of this machine`,
  };
  const advice = code.startsWith('EADDRNOT') || code === 'ENOTFOUND' ? 'REACH_HOST' : setting;
  return `${reason[code] ?? `Port ${port} on ${host} cannot be used (${code})`}. Choose another with ${advice}.`;
}

/** The port, or the code of the error that listening on it gives. */
function tryPort(host: string, port: number): Promise<number | string> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
