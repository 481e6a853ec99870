export type {
  CallerRef,
  FoundCapability,
  HealthFilter,
  HealthStreamEvent,
  InstanceHealth,
  JsonObject,
  JsonSchema,
  LeaseProfile,
  WelcomeFrame,
} from '../protocol/index.js';
export { type AgentKind, ERRORS, type ErrorCode, type FieldFault, ReachError } from '../protocol/index.js';
export type { Agent, OwnLoad } from './agent.js';
export type { CallOutcome, CallRequest } from './call-request.js';
export type { AgentOptions, HandleOptions } from './declaration.js';
export type { Handler } from './dispatches.js';
export type { HandlerContext } from './execution.js';
export { AgentError, BusinessError, CallError } from './failures.js';
export type { FindOptions } from './finds.js';
export type { HealthOptions } from './health-stream.js';
export type { ConnectOptions, LogLevel } from './options.js';
export { connect, type Reach } from './reach.js';
export { CLIENT_VERSION } from './version.js';
