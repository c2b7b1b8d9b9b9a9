/** Steps from an empty organization to a published page with a team, and their states. */
import type { Schemas } from '@status-page/client'
import type { Right } from '@status-page/contracts'

/** Steps in their order, with the right that each requires. */
export const stepRights = {
  page: 'STATUS_PAGES_CREATE',
  components: 'COMPONENTS_CREATE',
  publish: 'STATUS_PAGES_UPDATE',
  mail: 'ORGANIZATION_UPDATE',
  invite: 'ORGANIZATION_CREATE',
} as const satisfies Record<string, Right>

export type StepId = keyof typeof stepRights
export const stepIds = Object.keys(stepRights) as StepId[]

export type StepState = 'done' | 'skipped' | 'open'

export interface Step {
  id: StepId
  state: StepState
}

/** Data that the steps produce. */
export interface FirstRunData {
  page: Schemas['StatusPage'] | null
  componentCount: number
  /** Whether sample data are loaded; `page` and `componentCount` are without them. */
  hasSample: boolean
  isEmailVerified: boolean
  /** Invitations, and members other than the user. */
  colleagueCount: number
}

/** Properties of the view of a step. */
export interface StepProps {
  data: FirstRunData
}

const isDone: Record<StepId, (data: FirstRunData) => boolean> = {
  page: ({ page }) => page !== null,
  components: ({ componentCount }) => componentCount > 0,
  publish: ({ page }) => page?.isPublished === true,
  mail: ({ isEmailVerified }) => isEmailVerified,
  invite: ({ colleagueCount }) => colleagueCount > 0,
}

export const stepsOf = (
  data: FirstRunData,
  skipped: ReadonlySet<StepId>,
  can: (right: Right) => boolean,
): Step[] =>
  stepIds
    .filter((id) => can(stepRights[id]))
    .map((id) => ({ id, state: isDone[id](data) ? 'done' : skipped.has(id) ? 'skipped' : 'open' }))

/** Skipped steps remain to be done, and sample data to be removed. */
export const isFirstRunComplete = ({
  steps,
  data,
}: {
  steps: readonly Step[]
  data: Pick<FirstRunData, 'hasSample'>
}): boolean => !data.hasSample && steps.every(({ state }) => state === 'done')

/** First open step after the given one, or before it; null when none is open. */
export const nextStep = (steps: readonly Step[], current: StepId | null): StepId | null => {
  const position = steps.findIndex(({ id }) => id === current)
  const ordered = [...steps.slice(position + 1), ...steps.slice(0, Math.max(position, 0))]
  return ordered.find(({ state }) => state === 'open')?.id ?? null
}
