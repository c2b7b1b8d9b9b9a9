/** The operations of notification channels. */
import {
  type AnyChannelConfig,
  type Channel,
  type ChannelPreview,
  type ChannelType,
  invalid,
  listReply,
  notFound,
  notificationChannelOperations,
  success,
} from '@status-page/contracts'
import { judgeSmtpServer, judgeUrl, type OutboundPolicy } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, type Route, route } from '@status-page/service'
import { listComponents } from '../audiences/store.ts'
import type { Senders } from '../senders/sender.ts'
import type { ChannelRow } from '../tables.ts'
import { preview } from './preview.ts'
import {
  auditChannel,
  changeChannel,
  inOrder,
  makeChannel,
  presentChannel,
  targetsOf,
  warningsOf,
} from './rules.ts'
import { openConfig, sealConfig } from './secrets.ts'
import * as store from './store.ts'
import { sendTrial } from './trial.ts'

export interface ChannelDoors {
  sealer: Sealer
  policy: OutboundPolicy
  senders: Senders
  baseUrl: string
  /** Takes what is known of the organization's components elsewhere; false while that fails. */
  isUpToDate(organizationId: string): Promise<boolean>
}

export const channelRoutes = (doors: ChannelDoors): Route[] =>
  route(notificationChannelOperations, {
    list: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listChannels(scope, query))
      return listReply(query, total, rows.map(presentChannel))
    },

    create: async (call) => {
      const { body, organizationId, change } = call
      const made = { id: newId(), organizationId }
      await judgeTarget(doors.policy, body.type, makeChannel(body, { ...made, now: NEVER }).config)
      await knowComponents(doors, call, body.componentIds)
      return change(async (scope) => {
        await judgeComponents(scope, body.componentIds ?? [], [])
        const row = makeChannel(body, { ...made, now: scope.now })
        await store.insertChannel(scope, sealed(doors, row))
        return {
          result: saved(row),
          events: [],
          audit: [auditChannel('create', null, row)],
        }
      })
    },

    preview: async ({ body }): Promise<ChannelPreview> => preview(body, new Date(), doors.baseUrl),

    read: ({ params, read }) =>
      read(async (scope) => presentChannel(await findOne(scope, params.id))),

    update: async (call) => {
      const { params, body, change, read } = call
      const { config } = body
      if (config !== undefined) {
        const before = await read((scope) => findOpened(doors, scope, params.id))
        const after = changeChannel(before, { config }, NEVER)
        if (after !== null) await judgeTarget(doors.policy, after.type, after.config)
      }
      await knowComponents(doors, call, body.componentIds)
      return change(async (scope) => {
        if ((await store.lockChannel(scope, params.id)) === undefined) throw notFound()
        const before = await findOpened(doors, scope, params.id)
        await judgeComponents(scope, body.componentIds ?? [], before.row.componentIds)
        const after = changeChannel(before, body, scope.now)
        if (after === null) return { result: presentSaved(before), events: [], audit: [] }
        await store.saveChannel(scope, sealed(doors, after))
        const audit = [auditChannel('update', before.row, after)]
        return { result: saved(after), events: [], audit }
      })
    },

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = await store.lockChannel(scope, params.id)
        if (row === undefined) throw notFound()
        await store.removeChannel(scope, row)
        return { result: success, events: [], audit: [auditChannel('delete', row, null)] }
      }),

    test: (call) => sendTrial(doors, call),
  })

/** Of a row that is only looked at. */
const NEVER = new Date(0)

const sealed = ({ sealer }: ChannelDoors, row: ChannelRow): ChannelRow => ({
  ...row,
  config: sealConfig(sealer, row, row.config),
})

const saved = (row: ChannelRow): Channel => presentSaved({ row, isPaused: false })

const presentSaved = (kept: store.Kept): Channel => ({
  ...presentChannel(kept),
  warnings: warningsOf(kept.row),
})

const findOne = async (scope: Scope, id: string): Promise<store.Kept> => {
  const found = await store.findChannel(scope, id)
  if (found === undefined) throw notFound()
  return found
}

const findOpened = async (
  { sealer }: ChannelDoors,
  scope: Scope,
  id: string,
): Promise<store.Kept> => {
  const { row, isPaused } = await findOne(scope, id)
  return { isPaused, row: { ...row, config: inOrder(row.type, openConfig(sealer, row)) } }
}

const judgeTarget = async (
  policy: OutboundPolicy,
  type: ChannelType,
  config: AnyChannelConfig,
): Promise<void> => {
  const target = targetsOf(type, config)
  if (target === null) return
  const { field } = target
  const verdict =
    target.kind === 'url'
      ? await judgeUrl(target.url, policy)
      : await judgeSmtpServer(target, policy)
  if (!verdict.ok) throw invalid({ field, message: `${field} ${verdict.message}` })
}

/** Before an id is called unknown, what core has said of components is taken. */
const knowComponents = async (
  { isUpToDate }: ChannelDoors,
  { organizationId }: Pick<Call, 'organizationId'>,
  ids: readonly string[] | undefined,
): Promise<void> => {
  if (ids !== undefined && ids.length > 0) await isUpToDate(organizationId)
}

/** Those that are stored may be sent back, whatever has become of them. */
const judgeComponents = async (
  scope: Scope,
  ids: readonly string[],
  stored: readonly string[],
): Promise<void> => {
  const copies = await listComponents(scope, ids)
  const known = new Set([
    ...stored,
    ...copies.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id),
  ])
  const [first, ...others] = ids.flatMap((id, index) => {
    const field = `componentIds[${index}]`
    return known.has(id) ? [] : [{ field, message: `${field} names no component` }]
  })
  if (first !== undefined) throw invalid(first, ...others)
}
