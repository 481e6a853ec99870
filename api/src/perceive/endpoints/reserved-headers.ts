/** Headers that the connection or the server itself sets, so that no capability can have them passed on (RFC 9110). */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'traceparent',
  'upgrade',
  'user-agent',
]);

/** A name as HTTP allows it, lower case. */
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** Whether a header of this name, in lower case, can be passed on to an endpoint. */
export function mayPass(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name) && !name.startsWith('reach-') && !name.startsWith('proxy-');
}
