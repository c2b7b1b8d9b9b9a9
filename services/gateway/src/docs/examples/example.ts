/** Examples of a group of operations: the compiler asks for one each, in the shape of the contract. */
import type { Body, Operation, Operations, Reply } from '@status-page/contracts'

export interface Example {
  reply?: unknown
  body?: unknown
  /** Several bodies, by what each is for; the first one is shown first. */
  bodies?: Readonly<Record<string, unknown>>
}

type BodyExample<Given> = [Given] extends [undefined]
  ? { body?: never }
  : { body: Given } | { bodies: Readonly<Record<string, Given>> }

type ExampleFor<Op extends Operation> = { reply: Reply<Op> } & BodyExample<Body<Op>>

/** By the id of the operation. */
export const examplesOf = <const Ops extends Operations>(
  operations: Ops,
  examples: { readonly [Name in keyof Ops]: ExampleFor<Ops[Name]> },
): [string, Example][] =>
  Object.entries(operations).map(([name, { id }]) => [id, examples[name] as Example])
