/**
 * State of the first run, from the data of the organization: a step that was skipped remains to be
 * done in every browser. Which steps were skipped is a setting of this browser, because it only
 * determines the step that is offered next.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  componentsQuery,
  invitationsQuery,
  membersQuery,
  sampleDataQuery,
  statusPagesQuery,
} from '../api/queries.ts'
import { readSetting, writeSetting } from '../app/settings.ts'
import { useSession } from '../session/session.tsx'
import {
  type FirstRunData,
  isFirstRunComplete,
  type Step,
  type StepId,
  stepIds,
  stepRights,
  stepsOf,
} from './steps.ts'

export interface FirstRun {
  data: FirstRunData
  steps: Step[]
  skip(step: StepId): void
}

interface FirstRunQuery {
  /** Null while it loads, and after an error. */
  firstRun: FirstRun | null
  error: unknown
  retry(): void
}

export const useFirstRun = ({ isEnabled = true } = {}): FirstRunQuery => {
  const { user, organization, can } = useSession()
  const canViewTeam = isEnabled && can('ORGANIZATION_VIEW')
  const pages = useQuery({ ...statusPagesQuery, enabled: isEnabled && can('STATUS_PAGES_VIEW') })
  const components = useQuery({ ...componentsQuery, enabled: isEnabled && can('COMPONENTS_VIEW') })
  const invitations = useQuery({ ...invitationsQuery, enabled: canViewTeam })
  const members = useQuery({ ...membersQuery, enabled: canViewTeam })
  const sample = useQuery({ ...sampleDataQuery, enabled: isEnabled && can('STATUS_PAGES_VIEW') })
  const [skipped, skip] = useSkippedSteps(organization.id)
  const all = [pages, components, invitations, members, sample]
  const failed = all.find(({ error, data }) => error !== null && data === undefined)
  const isLoading = all.some((query) => query.isLoading)
  const retry = () => all.forEach((query) => void query.refetch())
  if (isLoading || failed !== undefined)
    return { firstRun: null, error: failed?.error ?? null, retry }
  const otherMembers = (members.data?.meta.total ?? 1) - 1
  const data: FirstRunData = {
    page: pages.data?.data.find(({ id }) => id !== sample.data?.statusPage?.id) ?? null,
    componentCount: (components.data?.meta.total ?? 0) - (sample.data?.componentCount ?? 0),
    hasSample: (sample.data?.loadedAt ?? null) !== null,
    isEmailVerified: user.emailVerified,
    colleagueCount: otherMembers + (invitations.data?.meta.total ?? 0),
  }
  return { firstRun: { data, steps: stepsOf(data, skipped, can), skip }, error: null, retry }
}

/**
 * Whether the navigation offers the first run: while sample data are loaded, and until each step that
 * the role permits was done once, as far as this browser knows. After that, the data are not read for
 * it any more.
 */
export const useIsFirstRunOpen = (): boolean => {
  const { organization, can } = useSession()
  const setting = `first-run-complete.${organization.id}`
  const [isRemembered] = useState(() => readSetting(setting) !== null)
  const isEnabled = !isRemembered && stepIds.some((id) => can(stepRights[id]))
  const { firstRun } = useFirstRun({ isEnabled })
  const isComplete = isEnabled && firstRun !== null && isFirstRunComplete(firstRun)
  useEffect(() => {
    if (isComplete) writeSetting(setting, 'yes')
  }, [isComplete, setting])
  return isEnabled && firstRun !== null && !isComplete
}

const useSkippedSteps = (organizationId: string) => {
  const setting = `skipped-steps.${organizationId}`
  const [skipped, setSkipped] = useState<ReadonlySet<StepId>>(() => {
    const stored = (readSetting(setting) ?? '').split(',')
    return new Set(stepIds.filter((id) => stored.includes(id)))
  })
  const skip = (step: StepId) => {
    const next = new Set([...skipped, step])
    writeSetting(setting, [...next].join(','))
    setSkipped(next)
  }
  return [skipped, skip] as const
}
