/**
 * Request headers of a check: secret values are stored encrypted and read as a redaction marker. A
 * PATCH that sends the marker keeps the stored value.
 */
import { type CheckSettings, type Issue, kindFieldOf, REDACTED } from '@status-page/contracts'
import { headerEncryptionContext, isSecretHeader, type Sealer } from '@status-page/secrets'
import type { StoredHeader } from '../tables.ts'

export type CheckHeaders = Readonly<Record<string, string>>

/** Headers to store, and an issue for each marker without a stored value. */
export const headersToStore = (input: {
  given: CheckHeaders
  stored: readonly StoredHeader[]
  seal: EncryptHeader
}): { headers: StoredHeader[]; issues: Issue[]; retainsSecrets: boolean } => {
  const stored = new Map(input.stored.map((header) => [header.name.toLowerCase(), header]))
  const issues: Issue[] = []
  let retainsSecrets = false
  const headers = Object.entries(input.given).map(([name, value]): StoredHeader => {
    if (value !== REDACTED) {
      return isSecretHeader(name)
        ? { name, value: null, sealedValue: input.seal(name, value) }
        : { name, value, sealedValue: null }
    }
    const sealedValue = stored.get(name.toLowerCase())?.sealedValue ?? null
    if (sealedValue === null) {
      issues.push({ field: `headers.${name}`, message: `${name} has no stored value` })
    } else retainsSecrets = true
    return { name, value: null, sealedValue }
  })
  return { headers, issues, retainsSecrets }
}

/** Headers of a check; none for a kind of check without headers. */
export const headersOf = (check: CheckSettings | null): readonly StoredHeader[] =>
  check !== null && 'headers' in check ? check.headers : []

/** Fields of a check in replies and audit entries; none without a check. */
export const readableCheck = (check: CheckSettings | null) => {
  if (check === null) return {}
  const fields = { ...check, kind: kindFieldOf(check.kind) }
  return 'headers' in fields ? { ...fields, headers: readableHeaders(fields.headers) } : fields
}

export const hasSecrets = (headers: readonly StoredHeader[]): boolean =>
  headers.some(({ sealedValue }) => sealedValue !== null)

export const readableHeaders = (headers: readonly StoredHeader[]): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value ?? REDACTED]))

export const reencryptCheck = <Check extends CheckSettings | null>(
  check: Check,
  reencrypt: ReencryptHeader,
): Check => {
  const headers = headersOf(check).map((header) =>
    header.sealedValue === null
      ? header
      : { ...header, sealedValue: reencrypt(header.name, header.sealedValue) },
  )
  return check !== null && 'headers' in check ? { ...check, headers } : check
}

export type EncryptHeader = (name: string, value: string) => string

/**
 * Encrypts with the component and the header's name as context, so that a moved value does not
 * decrypt.
 */
export const headerEncrypter =
  (sealer: Sealer, organizationId: string, componentId: string): EncryptHeader =>
  (name, value) =>
    sealer.seal(value, headerEncryptionContext({ organizationId, componentId }, name))

export type ReencryptHeader = (name: string, sealedValue: string) => string

/** Re-encrypts a value of one component for another one of the same organization. */
export const headerReencrypter =
  (sealer: Sealer, organizationId: string, ids: { from: string; to: string }): ReencryptHeader =>
  (name, sealedValue) =>
    sealer.seal(
      sealer.open(
        sealedValue,
        headerEncryptionContext({ organizationId, componentId: ids.from }, name),
      ),
      headerEncryptionContext({ organizationId, componentId: ids.to }, name),
    )
