/** Secrets of a batch that their owner stores as a hash. */
import { type Passwords, pagePasswordContext } from '@status-page/secrets'
import type { BatchContext } from './batch-context.ts'
import type { Section } from './definitions/section.ts'
import type { ConfigurationPlan, PlannedFields } from './plan/planning.ts'

/**
 * Hashes the changed secrets of a plan by the ids of their resources. One at a time, so that the
 * apply of an organization with many pages delays no other for longer than one hash.
 */
export const hashSecrets = async (
  passwords: Passwords,
  plan: ConfigurationPlan,
): Promise<Map<string, string>> => {
  const hashes = new Map<string, string>()
  for (const { section, create, update } of plan.definitions.values()) {
    for (const { id, value } of [...create, ...update]) {
      const text = value[section.secret?.field ?? '']
      if (section.secret !== undefined && typeof text === 'string') {
        hashes.set(id, await passwords.hash(text))
      }
    }
  }
  return hashes
}

/** Fields with hash and digest of the secret, encrypted; the hash of a dry run is empty. */
export const sealSecret = (
  { sealer, organizationId, secretHashes }: BatchContext,
  { secret }: Section,
  { id, value }: { id: string; value: PlannedFields },
): PlannedFields => {
  const text = value[secret?.field ?? '']
  if (secret === undefined || typeof text !== 'string') return value
  const seal = (plain: string) => sealer.seal(plain, pagePasswordContext(organizationId, id))
  const sealed = { hash: seal(secretHashes.get(id) ?? ''), digest: seal(secret.digestOf(id, text)) }
  return { ...value, [secret.field]: sealed }
}
