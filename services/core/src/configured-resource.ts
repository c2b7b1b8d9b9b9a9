/** Interface of a resource that a configuration document can define, next to components. */
import {
  type AuditDraft,
  type CoreDefinitionType,
  definitionChanged,
  draftEvent,
  type EventDraft,
  type Issue,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'

/** Events and audit entries of a change. */
export interface ChangeDrafts {
  events: readonly EventDraft[]
  audit: readonly AuditDraft[]
}

/** Event of a change of a resource without other events. */
export const definitionEvent = (
  resourceType: CoreDefinitionType,
  { id }: { id: string },
): EventDraft =>
  draftEvent(definitionChanged, { id: newId(), version: 1 }, { definition: { id, resourceType } })

type AuditOf<Row> = (
  verb: 'create' | 'update' | 'delete',
  before: Row | null,
  after: Row,
) => AuditDraft

/** Returns the event and the audit entry of a change of a resource without other events. */
export const definitionDrafts =
  <Row extends { id: string }>(resourceType: CoreDefinitionType, auditOf: AuditOf<Row>) =>
  (...[verb, before, row]: Parameters<AuditOf<Row>>): ChangeDrafts => ({
    events: [definitionEvent(resourceType, row)],
    audit: [auditOf(verb, before, row)],
  })

export interface ConfiguredRow {
  id: string
  /** True when an apply created the resource. */
  managedByConfig: boolean
}

/** Inputs of a definition from outside. */
export interface DefinitionContext {
  organizationId: string
  /** Ids of the components that exist after the batch. */
  components: ReadonlySet<string>
  now: Date
}

export interface TypedChanges<Body, Patch> {
  create: readonly { id: string; value: Body }[]
  update: readonly { id: string; value: Patch }[]
}

/** Definitions of one kind: the rules and statements of its API, for batches. */
export interface ConfiguredResource<Row extends ConfiguredRow, Body, Patch> {
  /** Rows in the order of their ids. */
  list(scope: Scope, after: string | null, limit: number): Promise<Row[]>
  /** Locks existing rows in the order of their ids. */
  lock(scope: Scope, ids: readonly string[]): Promise<Row[]>
  /** Name that identifies the resource in a document. */
  nameOf(definition: Row | Body): string
  /** Returns those of the names that rows of the organization have. */
  findNames(scope: Scope, names: readonly string[]): Promise<string[]>
  /**
   * Problems of values that other organizations use, with fields such as `create[0].value.slug`;
   * absent if every value is free. Reads without a transaction.
   */
  findTaken?(organizationId: string, changes: TypedChanges<Body, Patch>): Promise<Issue[]>
  /** Every field of the body that creates the resource; secrets are encrypted. */
  fieldsOf(row: Row): object
  /** Pure; throws 400. */
  create(id: string, body: Body, context: DefinitionContext): Row
  /** Pure; returns the same row without an effect, throws 400. */
  change(row: Row, patch: Patch, context: DefinitionContext): Row
  /** Limit of rows in an organization. */
  limit?: {
    maximum: number
    message: string
    /** Number of rows, under a lock until the end of the transaction. */
    lockAndCount(scope: Scope): Promise<number>
  }
  /** Throws 400 for a value that another organization took in the meantime; so does `save`. */
  insert(scope: Scope, row: Row): Promise<ChangeDrafts>
  save(scope: Scope, before: Row, row: Row): Promise<ChangeDrafts>
  remove(scope: Scope, row: Row): Promise<ChangeDrafts>
}
