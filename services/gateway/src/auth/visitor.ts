/**
 * Who looks at a status page: a session makes a member of them, and that is all it does there. Nothing
 * fails for want of it, least of all a public page while sessions cannot be looked up.
 */
import { type Credentials, type Identified, unidentified } from './credentials.ts'

export const identifyVisitor = async (
  credentials: Credentials,
  rawHeaders: readonly string[],
): Promise<Identified> => {
  // Where a key is sent along it decides, and a key is no member: nothing to look up.
  if (names(rawHeaders).includes('authorization')) return unidentified
  const identified = await credentials.identify(rawHeaders).catch(() => unidentified)
  const { kind, caller, needsEnrolment, sessionHash } = identified
  if (kind !== 'session' || needsEnrolment) return unidentified
  // Neither renewed nor counted: the answer may be one that caches keep.
  const visitor = { ...caller, grants: { kind: 'session' as const, rights: [] } }
  return { ...unidentified, caller: visitor, sessionHash }
}

const names = (rawHeaders: readonly string[]): string[] =>
  rawHeaders.flatMap((text, index) => (index % 2 === 0 ? [text.toLowerCase()] : []))
