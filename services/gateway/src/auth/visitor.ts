/**
 * Who looks at a status page: a session makes a member of them, and that is all it does there. Nothing
 * fails for want of it, least of all a public page while sessions cannot be looked up.
 */
import type { IncomingMessage } from 'node:http'
import { type Credentials, type Identified, nobody } from './credentials.ts'

export const identifyVisitor = async (
  credentials: Credentials,
  { headers, rawHeaders }: IncomingMessage,
): Promise<Identified> => {
  // Where a key is sent along it decides, and a key is no member: nothing to look up.
  if (headers.authorization !== undefined) return nobody
  const identified = await credentials.identify(rawHeaders).catch(() => nobody)
  const { kind, caller, needsEnrolment } = identified
  if (kind !== 'session' || needsEnrolment) return nobody
  // Neither renewed nor counted: the answer may be one that caches keep.
  return { ...nobody, caller: { ...caller, grants: { kind: 'session', rights: [] } } }
}
