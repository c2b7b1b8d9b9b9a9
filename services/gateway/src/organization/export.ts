/**
 * Export of an organization as NDJSON: one line per resource, read page by page as fast as the caller
 * takes it, so that memory stays bounded. Other services answer their own lists, without secrets.
 */
import { Readable } from 'node:stream'
import {
  componentOperations,
  configurationOperations,
  deliveryOperations,
  forbidden,
  fullPath,
  incidentDraftOperations,
  incidentOperations,
  incidentTemplateOperations,
  integrationOperations,
  maintenanceOperations,
  notificationChannelOperations,
  type Operation,
  oncallAlertOperations,
  oncallScheduleOperations,
  organizationExportOperations,
  type ServiceName,
  slaOperations,
  statusPageOperations,
  subscriberOperations,
  unavailable,
} from '@status-page/contracts'
import { type Database, read } from '@status-page/postgres'
import {
  CALLER_HEADER,
  type Call,
  type Caller,
  type CallerSigner,
  type Route,
  raw,
  route,
} from '@status-page/service'
import { sql } from 'drizzle-orm'
import { lockGiver } from '../roles/giver.ts'
import { ownOrganization } from './store.ts'
import { replyOf } from './view.ts'

const PAGE_SIZE = 100
const TIMEOUT_MS = 30_000

/** Kinds of lines, by the operation that lists them in another service. */
const lists: Readonly<Record<string, { operation: Operation; include?: string }>> = {
  component: { operation: componentOperations.list },
  incident: { operation: incidentOperations.list, include: 'updates,postmortem' },
  maintenance: { operation: maintenanceOperations.list, include: 'updates' },
  incident_template: { operation: incidentTemplateOperations.list },
  incident_draft: { operation: incidentDraftOperations.list },
  status_page: { operation: statusPageOperations.list },
  subscriber: { operation: subscriberOperations.list },
  sla: { operation: slaOperations.list },
  oncall_schedule: { operation: oncallScheduleOperations.list },
  oncall_alert: { operation: oncallAlertOperations.list },
  integration: { operation: integrationOperations.list },
  notification_channel: { operation: notificationChannelOperations.list },
  delivery: { operation: deliveryOperations.list },
}

/** Kinds of lines that the gateway stores, by table; hashes of tokens are left out. */
const own: Readonly<Record<string, string>> = {
  member: 'memberships',
  role: 'roles',
  invitation: 'invitations',
  api_key: 'api_keys',
  domain: 'domains',
  audit_entry: 'audit_log',
}
const hidden = ['token_hash', 'suffix', 'txt_value']

export interface ExportDeps {
  database: Database
  signer: CallerSigner
  origins: Readonly<Partial<Record<ServiceName, string | undefined>>>
}

export const organizationExportRoutes = (deps: ExportDeps): Route[] =>
  route(organizationExportOperations, {
    async export(call) {
      const organization = await call.read(async (scope) => {
        const { isOwner } = await lockGiver(scope, call.caller)
        if (!isOwner) throw forbidden('owner_required', 'Only an OWNER can export the organization')
        return replyOf(await ownOrganization(scope))
      })
      return raw({
        contentType: 'application/x-ndjson; charset=utf-8',
        headers: { 'content-disposition': 'attachment; filename="organization.ndjson"' },
        body: Readable.from(linesOf(deps, call, organization), { highWaterMark: 1 }),
      })
    },
  })

async function* linesOf(deps: ExportDeps, call: Call, organization: object) {
  yield lineOf('organization', organization)
  for (const [kind, table] of Object.entries(own)) {
    yield* ownLines(deps.database, call.organizationId, { kind, table })
  }
  for (const [kind, list] of Object.entries(lists)) {
    yield* listedLines(deps, call.caller, { kind, ...list })
  }
  const { export: configuration } = configurationOperations
  const answer = await ask(deps, call.caller, configuration, '')
  // What no document can hold stands in the lines before; the last line says that none is missing.
  yield lineOf('configuration', { document: answer.ok ? await answer.text() : null })
}

const lineOf = (kind: string, data: unknown): string => `${JSON.stringify({ kind, data })}\n`

async function* ownLines(
  database: Database,
  organizationId: string,
  { kind, table }: { kind: string; table: string },
) {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await read(database, organizationId, ({ tx }) =>
      tx.execute<{ id: string; data: Record<string, unknown> }>(sql`
        SELECT id, to_jsonb(r) - ${sql.param(hidden)}::text[] AS data
        FROM ${sql.identifier(table)} r
        WHERE organization_id = ${organizationId} AND id > ${after} ORDER BY id LIMIT ${PAGE_SIZE}`),
    )
    if (rows.length > 0) yield rows.map(({ data }) => lineOf(kind, data)).join('')
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.id ?? after
  }
}

async function* listedLines(
  deps: ExportDeps,
  caller: Caller,
  { kind, operation, include }: { kind: string; operation: Operation; include?: string },
) {
  for (let page = 1; ; page++) {
    const query = new URLSearchParams({
      page: String(page),
      pageSize: String(PAGE_SIZE),
      ...(include === undefined ? {} : { include }),
    })
    const answer = await ask(deps, caller, operation, `?${query}`)
    if (!answer.ok) throw unavailable(`${operation.service} is not available`)
    const { data } = (await answer.json()) as { data: unknown[] }
    if (data.length > 0) yield data.map((one) => lineOf(kind, one)).join('')
    if (data.length < PAGE_SIZE) return
  }
}

const ask = (
  { signer, origins }: ExportDeps,
  caller: Caller,
  operation: Operation,
  query: string,
): Promise<Response> => {
  const origin = origins[operation.service]
  if (origin === undefined) throw unavailable(`${operation.service} is not available`)
  return fetch(`${new URL(origin).origin}${fullPath(operation)}${query}`, {
    headers: { [CALLER_HEADER]: signer.sign(caller, operation.service) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
}
