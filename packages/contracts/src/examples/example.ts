/**
 * Types of the examples: the compiler requires one for each operation of a group, with the types of
 * its body and reply.
 */
import type { Body, Operation, Operations, Reply } from '../index.ts'

export interface Example {
  reply?: unknown
  body?: unknown
  /** Several bodies by their titles; the first one is displayed first. */
  bodies?: Readonly<Record<string, unknown>>
}

type BodyExample<Given> = [Given] extends [undefined]
  ? { body?: never }
  : { body: Given } | { bodies: Readonly<Record<string, Given>> }

type ExampleFor<Op extends Operation> = { reply: Reply<Op> } & BodyExample<Body<Op>>

/** Returns pairs of an operation id and its example. */
export const examplesOf = <const Ops extends Operations>(
  operations: Ops,
  examples: { readonly [Name in keyof Ops]: ExampleFor<Ops[Name]> },
): [string, Example][] =>
  Object.entries(operations).map(([name, { id }]) => [id, examples[name] as Example])
