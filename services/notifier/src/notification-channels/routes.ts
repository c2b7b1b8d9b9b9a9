/** The operations of notification channels. */
import {
  type AnyChannelConfig,
  type Channel,
  type ChannelPatch,
  type ChannelPreview,
  type ChannelType,
  invalid,
  listReply,
  notFound,
  notificationChannelOperations,
  orNotFound,
  ruleIssue,
  successReply,
  type TransactionOutcome,
  throwIssues,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { listComponents } from '../audiences/store.ts'
import type { Senders } from '../channels/channel.ts'
import { decryptConfig, encryptConfig } from '../channels/secrets.ts'
import { validateTemplates } from '../messages/template-limits.ts'
import type { ChannelRow } from '../tables.ts'
import { completeConfig, mergeConfig, orderConfigFields } from './config.ts'
import { previewMessages } from './preview.ts'
import { type ChannelState, changeChannel, channelEvent, createChannel } from './rules.ts'
import * as store from './store.ts'
import { findTargetIssue } from './targets.ts'
import { sendTestMessage } from './test-message.ts'
import { auditChannel, presentChannel, templateWarnings } from './view.ts'

export interface ChannelDeps {
  sealer: Sealer
  policy: OutboundPolicy
  senders: Senders
  baseUrl: string
  /** Applies pending events about the organization's components; false while that fails. */
  isUpToDate(organizationId: string): Promise<boolean>
}

export const channelRoutes = (deps: ChannelDeps): Route[] =>
  createRoutes(notificationChannelOperations, {
    list: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listChannels(scope, query))
      return listReply(query, total, rows.map(presentChannel))
    },

    create: async (call) => {
      const { body, organizationId, change } = call
      validateTemplates({ messageTemplate: body.messageTemplate })
      const config = completeConfig(body.type, body.config)
      await validateTarget(deps.policy, body.type, config)
      await catchUpComponents(deps, call, body.componentIds)
      return change(async (scope) => {
        await validateComponents(scope, body.componentIds ?? [], [])
        const creation = { id: newId(), organizationId, config, now: scope.now }
        const row = createChannel(body, { ...creation, managedByConfig: false })
        await store.insertChannel(scope, sealed(deps, row))
        const audit = [auditChannel('create', null, row)]
        return { result: saved(row), events: [channelEvent('created', row)], audit }
      })
    },

    preview: async ({ body }): Promise<ChannelPreview> =>
      previewMessages(body, new Date(), deps.baseUrl),

    read: ({ params, read }) =>
      read(async (scope) => presentChannel(await findOne(scope, params.id))),

    update: async (call) => {
      const { params, body, change, read } = call
      validateTemplates({ messageTemplate: body.messageTemplate })
      if (body.config !== undefined) {
        const { row } = await read((scope) => findOpened(deps, scope, params.id))
        await validateTarget(deps.policy, row.type, mergeConfig(row, body.config))
      }
      await catchUpComponents(deps, call, body.componentIds)
      return change((scope) => updateChannel(deps, scope, params.id, body))
    },

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.lockChannel(scope, params.id))
        await store.removeChannel(scope, row)
        const audit = [auditChannel('delete', row, null)]
        return { result: successReply, events: [channelEvent('deleted', row)], audit }
      }),

    test: (call) => sendTestMessage(deps, call),
  })

const updateChannel = async (
  deps: ChannelDeps,
  scope: Scope,
  id: string,
  { config: given, ...choices }: ChannelPatch,
): Promise<TransactionOutcome<Channel>> => {
  if ((await store.lockChannel(scope, id)) === undefined) throw notFound()
  const before = await findOpened(deps, scope, id)
  await validateComponents(scope, choices.componentIds ?? [], before.row.componentIds)
  const config = given === undefined ? before.row.config : mergeConfig(before.row, given)
  const after = changeChannel(before, choices, { config, now: scope.now })
  if (after === null) return { result: presentSaved(before) }
  await store.saveChannel(scope, sealed(deps, after))
  const audit = [auditChannel('update', before.row, after)]
  return { result: saved(after), events: [channelEvent('updated', after)], audit }
}

const sealed = ({ sealer }: ChannelDeps, row: ChannelRow): ChannelRow => ({
  ...row,
  config: encryptConfig(sealer, row, row.config),
})

const saved = (row: ChannelRow): Channel => presentSaved({ row, isPaused: false })

const presentSaved = (state: ChannelState): Channel => ({
  ...presentChannel(state),
  warnings: templateWarnings(state.row),
})

const findOne = async (scope: Scope, id: string): Promise<ChannelState> =>
  orNotFound(await store.findChannel(scope, id))

const findOpened = async (
  { sealer }: ChannelDeps,
  scope: Scope,
  id: string,
): Promise<ChannelState> => {
  const { row, isPaused } = await findOne(scope, id)
  return {
    isPaused,
    row: { ...row, config: orderConfigFields(row.type, decryptConfig(sealer, row)) },
  }
}

const validateTarget = async (
  policy: OutboundPolicy,
  type: ChannelType,
  config: AnyChannelConfig,
): Promise<void> => {
  const issue = await findTargetIssue(policy, { type, config }, { resolves: true })
  if (issue !== null) throw invalid(issue)
}

/** Applies pending component events before an id is reported as unknown. */
const catchUpComponents = async (
  { isUpToDate }: ChannelDeps,
  { organizationId }: Pick<Call, 'organizationId'>,
  ids: readonly string[] | undefined,
): Promise<void> => {
  if (ids !== undefined && ids.length > 0) await isUpToDate(organizationId)
}

/** Validates component ids; stored ones are accepted even if the component was deleted. */
const validateComponents = async (
  scope: Scope,
  ids: readonly string[],
  stored: readonly string[],
): Promise<void> => {
  const copies = await listComponents(scope, ids)
  const known = new Set([
    ...stored,
    ...copies.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id),
  ])
  throwIssues(
    ids.flatMap((id, index) => {
      const field = `componentIds[${index}]`
      return known.has(id) ? [] : [ruleIssue(field, 'exists')]
    }),
  )
}
