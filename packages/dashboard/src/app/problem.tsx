/** Errors in place of a view, by their kind. */
import { ApiError, ConnectionError } from '@status-page/client'
import { useLocation } from '@tanstack/react-router'
import { Button } from '../kit/button.tsx'
import { Empty, Screen } from '../kit/screen.tsx'
import { ModuleLoadError } from '../modules/load-module.ts'
import { ModuleProblem } from '../modules/module-problem.tsx'
import { fill } from '../texts/plural.ts'
import { type Texts, useTexts } from '../texts/texts.tsx'
import { destinationGroups, type NavigationItem } from './destinations.ts'
import { problemText } from './problem-note.tsx'

const FORBIDDEN = 403
const NOT_FOUND = 404

interface ProblemProps {
  error: unknown
  onRetry?(): unknown
}

/** Whole screen without a view. */
export const ProblemScreen = (props: ProblemProps) => (
  <Screen title={useTexts().product}>
    <Problem {...props} />
  </Screen>
)

/** In place of a view that failed, with the title of its area. */
export const ViewProblemScreen = (props: ProblemProps) => {
  const { navigation, product } = useTexts()
  const { pathname } = useLocation()
  const [, area] = pathname.split('/')
  const destination = destinationGroups
    .flatMap(({ destinations }): readonly NavigationItem[] => destinations)
    .find(({ to }) => to === `/${area}`)
  return (
    <Screen title={destination === undefined ? product : navigation[destination.text]}>
      <Problem {...props} />
    </Screen>
  )
}

export const Problem = ({ error, onRetry }: ProblemProps) => {
  const texts = useTexts()
  const { states, actions } = texts
  const retry = onRetry !== undefined && <Button onPress={onRetry}>{actions.retry}</Button>
  if (error instanceof ModuleLoadError && onRetry !== undefined) {
    return <ModuleProblem onRetry={onRetry} />
  }
  if (error instanceof ConnectionError) {
    return (
      <Empty state="part" title={states.unreachable} hint={states.unreachableHint}>
        {retry}
      </Empty>
    )
  }
  const status = error instanceof ApiError ? error.status : null
  if (status === FORBIDDEN) return <NoPermission />
  if (status === NOT_FOUND) return <Empty title={states.notFound} hint={states.notFoundHint} />
  return (
    <Empty state="down" title={states.unexpected} hint={states.unexpectedHint}>
      {error instanceof ApiError && <p>{detailOf(error, texts)}</p>}
      {retry}
    </Empty>
  )
}

/** In place of a view that the role does not permit. */
export const NoPermission = () => {
  const { states } = useTexts()
  return <Empty state="work" title={states.noPermission} hint={states.noPermissionHint} />
}

/** Id of the request in the logs; otherwise the problem by its kind, without names of services. */
const detailOf = (error: ApiError, texts: Texts): string => {
  const { requestId } = error.details as { requestId?: string }
  return requestId === undefined
    ? problemText(error, texts)
    : fill(texts.states.requestId, { id: requestId })
}
