import { isDeepStrictEqual } from 'node:util';
import { agentRef, instanceRef } from '@agent-reach/sdk/protocol';
import type { HttpEndpoint } from '../model.js';
import type { CheckedRegistration } from '../registration.js';
import type { Joined, Registry } from '../registry.js';
import type { EndpointWatch } from './endpoint-watch.js';
import { HttpLink } from './http-link.js';

/**
 * Registers an instance that is only an HTTP endpoint, and asks it once, so that the answer can say whether it was
 * reached. The same descriptor again is the same incarnation, and running calls go on; any other replaces it whole.
 * Throws what `Registry.join` throws.
 *
 * @param registrationId names the incarnation if it is a new one; unguessable
 */
export async function registerEndpoint(
  { registry, watch }: { readonly registry: Registry; readonly watch: Pick<EndpointWatch, 'ask'> },
  checked: CheckedRegistration,
  endpoint: HttpEndpoint,
  registrationId: string,
): Promise<Joined> {
  const incarnation = sameIncarnation(registry, checked, endpoint) ?? registrationId;
  const joined = await registry.join(checked, incarnation, new HttpLink(registrationId), endpoint);
  await watch.ask(joined.instance);
  return joined;
}

/** The incarnation that lives under this name, when it was registered with just the same. */
function sameIncarnation(
  registry: Registry,
  { registration, instance, zone, settings }: CheckedRegistration,
  endpoint: HttpEndpoint,
): string | undefined {
  const agent = agentRef(registration.namespace, registration.agent);
  const record = registry.record(instanceRef(agent, instance));
  const version = registry.agent(agent)?.versions.get(registration.version);
  const isSame =
    record?.version === registration.version &&
    version?.contentHash === registration.contentHash &&
    isDeepStrictEqual([record.endpoint, record.zone, record.settings], [endpoint, zone, settings]);
  return isSame ? record.incarnation : undefined;
}
