/** The contract: every noun's shape, operations and events, and the two master lists. */
export * from './error.ts'
export * from './event.ts'
export * from './listing.ts'
export * from './operation.ts'
export * from './outcome.ts'
export * from './permission.ts'
export * from './scalars.ts'
