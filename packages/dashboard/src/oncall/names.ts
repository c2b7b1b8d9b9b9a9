/** Names of the members and channels that schedules reference, and options to choose them. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { channelNamesQuery, memberNamesQuery } from './queries.ts'

export interface Option {
  value: string
  label: string
}

export interface Names {
  options: readonly Option[]
  nameOf(id: string): string
}

const namesOf = (list: readonly { id: string; name: string }[], unknown: string): Names => {
  const names = new Map(list.map(({ id, name }) => [id, name]))
  return {
    options: list.map(({ id, name }) => ({ value: id, label: name })),
    nameOf: (id) => names.get(id) ?? unknown,
  }
}

const none: readonly { id: string; name: string }[] = []

export const useMemberNames = (): Names => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const { data = none } = useQuery({ ...memberNamesQuery, enabled: can('ORGANIZATION_VIEW') })
  return useMemo(() => namesOf(data, texts.unknownMember), [data, texts])
}

const useChannelNames = (): Names => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const { data = none } = useQuery({ ...channelNamesQuery, enabled: can('NOTIFICATIONS_VIEW') })
  return useMemo(() => namesOf(data, texts.unknownChannel), [data, texts])
}

const SCHEDULE_TARGET = 'schedule'

/** Targets of escalation steps: the member on call, members and channels. */
export const useTargetNames = (): Names => {
  const { onCall: texts } = useTexts()
  const members = useMemberNames()
  const channels = useChannelNames()
  return useMemo(() => {
    const prefixed = (prefix: string, { options }: Names, suffix: string) =>
      options.map(({ value, label }) => ({ value: `${prefix}:${value}`, label: label + suffix }))
    const channelSuffix = ` (${texts.channel})`
    return {
      options: [
        { value: SCHEDULE_TARGET, label: texts.memberOnCall },
        ...prefixed('user', members, ''),
        ...prefixed('channel', channels, channelSuffix),
      ],
      nameOf(target) {
        const [kind, id = ''] = target.split(':')
        if (kind === SCHEDULE_TARGET) return texts.memberOnCall
        if (kind === 'user') return members.nameOf(id)
        return channels.nameOf(id) + channelSuffix
      },
    }
  }, [members, channels, texts])
}
