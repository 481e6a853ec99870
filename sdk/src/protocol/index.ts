export * from './audit.js';
export * from './capability.js';
export * from './client-frames.js';
export * from './errors.js';
export * from './frames.js';
export * from './health.js';
export * from './names.js';
export * from './shape.js';
