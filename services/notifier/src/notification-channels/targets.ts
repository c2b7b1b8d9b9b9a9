/** Validation of the addresses that channels send to. */
import type { AnyChannelConfig, ChannelConfigs, ChannelType, Issue } from '@status-page/contracts'
import {
  checkSmtpServer,
  checkUrl,
  type OutboundPolicy,
  resolveSmtpServer,
  resolveUrl,
} from '@status-page/outbound'
import { channels } from '../channels/index.ts'

/** Issue of the address of a channel, or null; without `resolves` no name is looked up. */
export const findTargetIssue = async (
  policy: OutboundPolicy,
  { type, config }: { type: ChannelType; config: AnyChannelConfig },
  { resolves }: { resolves: boolean },
): Promise<Issue | null> => {
  const target = channels[type].targetOf(config as ChannelConfigs[ChannelType])
  if (target === null) return null
  if (target.kind === 'url') {
    const { url } = target
    const verdict = resolves ? await resolveUrl(url, policy) : checkUrl(url, policy)
    return verdict.ok ? null : issueOf(target.field, verdict.message)
  }
  const verdict = resolves
    ? await resolveSmtpServer(target, policy)
    : checkSmtpServer(target, policy)
  return verdict.ok ? null : issueOf(target.fields[verdict.part], verdict.message)
}

const issueOf = (name: string, problem: string): Issue => {
  const field = `config.${name}`
  return { field, message: `${field} ${problem}` }
}
