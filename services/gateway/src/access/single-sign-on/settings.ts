/**
 * Settings of the identity provider. The user who sets them can impersonate every member, so a
 * change requires all rights.
 */
import {
  type AppError,
  type AuditDraft,
  changesBetween,
  conflict,
  draftAudit,
  invalid,
  notFound,
  rights,
  type samlOperations,
  successReply,
} from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { Scope } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import type { ProviderMetadata } from '../../identity/saml/metadata.ts'
import { MAX_METADATA_BYTES, metadataProblem } from '../../identity/saml/metadata-problems.ts'
import { type Sandbox, UNKNOWN_ADDRESS } from '../../identity/saml/sandbox.ts'
import * as store from '../../identity/saml/store.ts'
import { readOrganization } from '../organization/store.ts'
import { lockGrantor } from '../rights/grant-authorization.ts'
import { roleByReference } from '../rights/role-store.ts'
import { type Grantor, validateRights, validateRoleGranted } from '../rights/rules.ts'

type ReplaceCall = Call<typeof samlOperations.replace>

export interface SettingsOptions {
  sandbox: Sandbox
  outbound: Outbound
  baseUrl: string
}

export const requireHttps = (baseUrl: string): void => {
  if (new URL(baseUrl).protocol === 'https:') return
  const message = 'Single sign-on requires an https BASE_URL: its cookie is sent over https only'
  throw conflict('invalid_state', message)
}

/** Replaces the settings; without metadata in the body, the stored metadata stays. */
export const replaceProvider = async (
  call: ReplaceCall,
  options: SettingsOptions,
): Promise<store.ProviderRow> => {
  requireHttps(options.baseUrl)
  const metadata = await readMetadataInput(call, options)
  return call.change(async (scope) => {
    const grantor = await lockGrantor(scope, call.caller)
    const before = await store.providerOfOrganization(scope)
    const fields = await fieldsOf(scope, call.body, grantor, metadata ?? metadataOf(before))
    const after = { ...fields, setByOwner: isSetByOwner(grantor, before, fields) }
    await validateChange(scope, grantor, before, after)
    const stored = await store.saveProvider(scope, after)
    return { result: stored, events: [], audit: providerAudit(before, stored) }
  })
}

export const removeProvider = (call: Call<typeof samlOperations.remove>) =>
  call.change(async (scope) => {
    await lockGrantor(scope, call.caller)
    const before = await store.providerOfOrganization(scope)
    if (before === null) throw providerNotFound()
    await validateEnforced(scope)
    await store.deleteProvider(scope)
    const audit = [{ ...entry('saml.delete', before), changes: {} }]
    return { result: successReply, events: [], audit }
  })

export const providerNotFound = (): AppError => notFound()

const readMetadataInput = async (
  { body, actor }: ReplaceCall,
  { sandbox, outbound }: SettingsOptions,
): Promise<ProviderMetadata | null> => {
  const { metadataXml, metadataUrl } = body
  if (metadataXml !== undefined && metadataUrl !== undefined) {
    const message = 'metadataXml and metadataUrl are mutually exclusive'
    throw invalid({ field: 'metadataXml', message })
  }
  if (metadataXml === undefined && metadataUrl === undefined) return null
  const field = metadataXml === undefined ? 'metadataUrl' : 'metadataXml'
  const text = metadataXml ?? (await fetchMetadata(outbound, metadataUrl as string))
  if (Buffer.byteLength(text) > MAX_METADATA_BYTES) throw metadataProblem(field, 'size')
  const address = actor.ipAddress ?? UNKNOWN_ADDRESS
  const inspected = await sandbox.inspect<'metadata'>({ kind: 'metadata', text }, address)
  if (!inspected.ok) throw metadataProblem(field, inspected.reason)
  return inspected.value
}

const FETCH_TIMEOUT_MS = 10_000
const OK = 200

const fetchMetadata = async (outbound: Outbound, url: string): Promise<string> => {
  const response = await outbound.request({
    url,
    method: 'GET',
    headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
    timeoutMs: FETCH_TIMEOUT_MS,
    maxBodyBytes: MAX_METADATA_BYTES,
    onOverflow: 'fail',
  })
  const problem = response.ok ? (response.status === OK ? null : 'status') : response.error
  if (problem !== null || !response.ok) throw metadataProblem('metadataUrl', problem ?? 'status')
  return response.body.toString('utf8')
}

const metadataOf = (row: store.ProviderRow | null): ProviderMetadata => {
  if (row === null) {
    throw invalid({ field: 'metadataXml', message: 'metadataXml or metadataUrl is required' })
  }
  const { idpEntityId: entityId, idpSsoUrl: ssoUrl, certificates } = row
  return { entityId, ssoUrl, certificates }
}

const fieldsOf = async (
  scope: Scope,
  { isEnabled = true, defaultRole = 'MEMBER', attributeMapping = {} }: ReplaceCall['body'],
  grantor: Grantor,
  { entityId: idpEntityId, ssoUrl: idpSsoUrl, certificates }: ProviderMetadata,
): Promise<Omit<store.ProviderFields, 'setByOwner'>> => {
  const role = await roleByReference(scope, defaultRole)
  if (role === null) {
    const message = 'defaultRole must be a built-in role or the id of a custom one'
    throw invalid({ field: 'defaultRole', message })
  }
  validateRoleGranted(grantor, role)
  return { isEnabled, idpEntityId, idpSsoUrl, certificates, defaultRole, attributeMapping }
}

type TrustFields = Pick<
  store.ProviderFields,
  'idpEntityId' | 'idpSsoUrl' | 'certificates' | 'attributeMapping'
>

/**
 * Returns whether the fields are unchanged that decide where logins go and which account a message
 * authenticates.
 */
const hasSameTrust = (before: TrustFields | null, after: TrustFields): boolean =>
  before !== null && JSON.stringify(trustFieldsOf(before)) === JSON.stringify(trustFieldsOf(after))

const trustFieldsOf = ({ idpEntityId, idpSsoUrl, certificates, attributeMapping }: TrustFields) => [
  idpEntityId,
  idpSsoUrl,
  certificates,
  attributeMapping.email ?? null,
]

const isSetByOwner = (
  grantor: Grantor,
  before: store.ProviderRow | null,
  after: TrustFields,
): boolean => grantor.isOwner || (hasSameTrust(before, after) && before?.setByOwner === true)

const validateChange = async (
  scope: Scope,
  grantor: Grantor,
  before: store.ProviderRow | null,
  after: store.ProviderFields,
): Promise<void> => {
  // A provider can authenticate as any member, so setting one requires the rights of every member.
  if (!hasSameTrust(before, after)) validateRights(grantor, rights)
  if (!after.isEnabled) await validateEnforced(scope)
}

const validateEnforced = async (scope: Scope): Promise<void> => {
  if (!(await readOrganization(scope)).ssoEnforced) return
  throw conflict('in_use', 'ssoEnforced requires the identity provider; disable ssoEnforced first')
}

const providerAudit = (
  before: store.ProviderRow | null,
  after: store.ProviderRow,
): AuditDraft[] => {
  const changes = changesBetween(before === null ? null : visible(before), visible(after))
  if (Object.keys(changes).length === 0) return []
  return [entry(before === null ? 'saml.create' : 'saml.update', after, changes)]
}

const visible = ({ updatedAt, createdAt, organizationId, ...fields }: store.ProviderRow) => fields

const entry = (
  action: 'saml.create' | 'saml.update' | 'saml.delete',
  { idpEntityId }: store.ProviderRow,
  changes?: AuditDraft['changes'],
): AuditDraft => draftAudit(action, { id: idpEntityId, name: null }, changes)
