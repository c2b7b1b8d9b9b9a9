/**
 * Members and channels that core has not stored yet: their events are applied before a request that
 * references them is rejected.
 */
import { unavailable } from '@status-page/contracts'
import type { Call } from '@status-page/service'
import { findChannels } from './channels/store.ts'
import { findMembers } from './members/store.ts'

export interface ScheduleDeps {
  /** Applies pending member events of the organization; returns false when that fails. */
  areMembersUpToDate(organizationId: string): Promise<boolean>
  /** Applies pending channel events of the organization; returns false when that fails. */
  areChannelsUpToDate(organizationId: string): Promise<boolean>
}

/**
 * Applies pending member events before an unknown member is rejected: the event of a new member may
 * not have arrived yet.
 */
export const catchUpUnknownMembers = async (
  { read, organizationId }: Pick<Call, 'read' | 'organizationId'>,
  deps: ScheduleDeps,
  userIds: readonly string[],
): Promise<void> => {
  const known = await read((scope) => findMembers(scope, userIds))
  if (userIds.every((id) => known.has(id))) return
  if (!(await deps.areMembersUpToDate(organizationId))) {
    throw unavailable('Members are temporarily unavailable')
  }
}

/**
 * Applies pending channel events before an unknown channel is rejected: the event of a new channel
 * may not have arrived yet.
 */
export const catchUpUnknownChannels = async (
  { read, organizationId }: Pick<Call, 'read' | 'organizationId'>,
  deps: ScheduleDeps,
  channelIds: readonly string[],
): Promise<void> => {
  const known = await read((scope) => findChannels(scope, channelIds))
  if (channelIds.every((id) => known.has(id))) return
  if (!(await deps.areChannelsUpToDate(organizationId))) {
    throw unavailable('Notification channels are temporarily unavailable')
  }
}
