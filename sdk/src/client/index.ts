export type {
  BroadcastAnswer,
  CallerRef,
  CallTarget,
  FallbackKind,
  FoundCapability,
  HealthFilter,
  HealthStreamEvent,
  InstanceHealth,
  JsonObject,
  JsonSchema,
  LeaseChoice,
  LeaseProfile,
  LeaseTimes,
  TaskCallback,
  TaskState,
  TaskView,
  WelcomeFrame,
} from '../protocol/index.js';
export { type AgentKind, ERRORS, type ErrorCode, type FieldFault, ReachError } from '../protocol/index.js';
export type { Agent, OwnLoad } from './agent.js';
export type { Route } from './cached-route.js';
export type { BroadcastRequest, CallOutcome, CallRequest, TaskRequest } from './call-request.js';
export type { BroadcastOutcome } from './calls.js';
export type { AgentOptions, HandleOptions } from './declaration.js';
export type { Handler, HandlerContext } from './execution.js';
export { AgentError, BusinessError, CallError } from './failures.js';
export type { FindOptions } from './finds.js';
export type { HealthOptions } from './health-stream.js';
export type { ConnectOptions, LogLevel } from './options.js';
export { connect, type Reach } from './reach.js';
export type { RecordOption } from './record/open-record.js';
export type {
  KnownRequest,
  RequestEnd,
  RequestKey,
  RequestRecord,
  RequestStart,
} from './record/request-record.js';
export type { RouteCache, RouteOptions, WhoOptions } from './route-cache.js';
export type { TaskHandle } from './tasks.js';
export { CLIENT_VERSION } from './version.js';
