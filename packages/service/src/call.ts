/**
 * Call of an operation, as its handler receives it: validated input and the authenticated caller.
 */
import type { Readable } from 'node:stream'
import {
  type Actor,
  type Body,
  type Grants,
  type Issue,
  type Operation,
  type Operations,
  type Params,
  type Query,
  type Reply,
  type TransactionOutcome,
  unauthorized,
} from '@status-page/contracts'
import {
  type Database,
  type Loaded,
  type MarkEffect,
  type PipelinedScope,
  read,
  readOnly,
  readOnlyAtOnce,
  readOnlyPipelined,
  type Scope,
  transact,
} from '@status-page/postgres'
import type { Logger } from 'pino'
import type { MultipartPart } from './multipart.ts'

/** Authenticated caller; an anonymous one has no organization. */
export interface Caller {
  organizationId: string | null
  actor: Pick<Actor, 'type' | 'userId' | 'apiKeyId'>
  grants: Grants
}

export const anonymousCaller: Caller = Object.freeze({
  organizationId: null,
  actor: Object.freeze({ type: 'system', userId: null, apiKeyId: null } as const),
  grants: Object.freeze({ kind: 'anonymous' } as const),
})

/** Facts about a request before its handler runs. */
export interface CallFacts<Op extends Operation = Operation> {
  operation: Op
  params: Params<Op>
  query: Query<Op>
  body: Body<Op>
  /** Problems of the body except those of these fields, for an operation with `validatedLater`. */
  issuesExcept(fields: readonly string[]): Issue[]
  ifMatch: number | null
  caller: Caller
  requestId: string
  /** Headers as received, names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Bytes of every body but JSON. */
  rawBody: Buffer | undefined
  /** Address of the client, as the gateway saw it. */
  ipAddress: string | null
  userAgent: string | null
  database: Database
  parts(): AsyncIterable<MultipartPart>
  /**
   * Marks in the transaction of each change that the request took effect; absent without
   * Idempotency-Key.
   */
  markEffect?: MarkEffect
  /** Logger of the process. */
  log: Logger
}

export interface Call<Op extends Operation = Operation>
  extends Omit<CallFacts<Op>, 'database' | 'markEffect' | 'ipAddress' | 'userAgent'> {
  /** Throws 401 for an anonymous caller. */
  readonly organizationId: string
  /** Logger whose lines have the id of the request. */
  readonly log: Logger
  readonly actor: Actor
  /** Runs one transaction in the caller's organization, which is read-only for a GET. */
  read<T>(work: (scope: Scope) => Promise<T>): Promise<T>
  /**
   * Like `read`; for a GET, the statements of `first` take no round trip of their own, and
   * `processNow` may differ from the time of the database.
   */
  readPipelined<First, T>(
    first: (scope: PipelinedScope, processNow: Date) => Promise<First>,
    work: (scope: Scope, loaded: First) => Promise<T>,
  ): Promise<T>
  /**
   * Like `readPipelined` without `work`; for a GET, all of it takes one round trip, so that `load`
   * must send its statements before it awaits a response.
   */
  readAtOnce<T>(load: (scope: PipelinedScope, processNow: Date) => Promise<T>): Promise<Loaded<T>>
  /** Runs one transaction and commits its outcome's events and audit entries with it. */
  change<T>(work: (scope: Scope) => Promise<TransactionOutcome<T>>): Promise<T>
  setHeader(name: string, value: string): void
  /** Adds a separate Set-Cookie header; none is sent when the handler throws. */
  addCookie(cookie: string): void
  /** Parts of a multipart body; readable once. */
  parts(): AsyncIterable<MultipartPart>
}

/** Response that is not the operation's JSON: a page, a feed, a file, another status. */
export interface RawReply {
  readonly [rawMark]: true
  status?: number
  contentType: string
  /** A stream is sent with backpressure and cannot be stored for a repeated request. */
  body: string | Buffer | Readable
  headers?: Record<string, string>
}

const rawMark: unique symbol = Symbol('raw reply')

export const rawReply = (reply: Omit<RawReply, typeof rawMark>): RawReply => ({
  ...reply,
  [rawMark]: true,
})

export const isRaw = (reply: unknown): reply is RawReply =>
  typeof reply === 'object' && reply !== null && rawMark in reply

/**
 * One handler for each operation: a missing one, an extra one or a wrong reply does not compile.
 */
export type Handlers<Ops extends Operations> = {
  [Name in keyof Ops]: (call: Call<Ops[Name]>) => Promise<Reply<Ops[Name]> | RawReply>
}

export interface Route {
  operation: Operation
  handler: (call: Call) => Promise<unknown>
}

export const createRoutes = <const Ops extends Operations>(
  operations: Ops,
  handlers: Handlers<Ops>,
): Route[] =>
  Object.entries(operations).map(([name, operation]) => ({
    operation,
    handler: handlers[name] as Route['handler'],
  }))

/** Call of a handler with the reply headers and cookies that the handler sets. */
export interface CallWithReply {
  call: Call
  replyHeaders: Record<string, string>
  cookies: string[]
}

export const createCall = (facts: CallFacts): CallWithReply => {
  const { database, markEffect, ipAddress, userAgent, ...visible } = facts
  const { caller, operation, requestId } = facts
  const replyHeaders: Record<string, string> = {}
  const cookies: string[] = []
  const actor: Actor = { ...caller.actor, ipAddress, userAgent, requestId }
  const by = { actor, ...(markEffect === undefined ? {} : { alongside: markEffect }) }
  const organizationOf = () => {
    if (caller.organizationId === null) throw unauthorized()
    return caller.organizationId
  }
  const call: Call = {
    ...visible,
    actor,
    get organizationId() {
      return organizationOf()
    },
    get log() {
      return facts.log.child({ requestId })
    },
    ...readersOf(operation, database, organizationOf),
    change: async (work) => transact(database, { ...by, organizationId: organizationOf() }, work),
    setHeader(name, value) {
      replyHeaders[name.toLowerCase()] = value
    },
    addCookie(cookie) {
      cookies.push(cookie)
    },
  }
  return { call, replyHeaders, cookies }
}

const readersOf = (
  { method }: Operation,
  database: Database,
  organizationOf: () => string,
): Pick<Call, 'read' | 'readPipelined' | 'readAtOnce'> =>
  method === 'GET'
    ? {
        read: async (work) => readOnly(database, organizationOf(), work),
        readPipelined: async (first, work) =>
          readOnlyPipelined(database, organizationOf(), first, work),
        readAtOnce: async (load) => readOnlyAtOnce(database, organizationOf(), load),
      }
    : {
        read: async (work) => read(database, organizationOf(), work),
        readPipelined: async (first, work) =>
          read(database, organizationOf(), async (scope) =>
            work(scope, await first(scope, scope.now)),
          ),
        readAtOnce: async (load) =>
          read(database, organizationOf(), async (scope) => ({
            now: scope.now,
            loaded: await load(scope, scope.now),
          })),
      }
