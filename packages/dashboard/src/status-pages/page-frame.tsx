/** Frame of the views of one status page: its state, actions and the links between the views. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Problem } from '../app/problem.tsx'
import classes from '../components/detail.module.css'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { ViewNavigation } from '../kit/view-navigation.tsx'
import { useTexts } from '../texts/texts.tsx'
import { PageActions } from './page-actions.tsx'
import type { PageResource } from './page-draft.ts'
import { statusPageQuery } from './queries.ts'

interface PageFrameProps {
  id: string
  view: ComponentType<{ page: PageResource }>
}

export const PageFrame = ({ id, view: View }: PageFrameProps) => {
  const { statusPages: texts } = useTexts()
  const { views } = texts
  const { data: page, error, refetch } = useQuery(statusPageQuery(id))
  if (page === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return (
    <Screen title={page.name} aside={<PageActions page={page} />}>
      <StateLine page={page} />
      {page.managedByConfig && <Note state="slow">{texts.managed}</Note>}
      <ViewNavigation label={views.label}>
        <Link to="/pages/$id" params={{ id }} activeOptions={{ exact: true }}>
          {views.design}
        </Link>
        <Link to="/pages/$id/domain" params={{ id }}>
          {views.domain}
        </Link>
        <Link to="/pages/$id/embed" params={{ id }}>
          {views.embed}
        </Link>
      </ViewNavigation>
      <View page={page} />
    </Screen>
  )
}

const StateLine = ({ page }: { page: PageResource }) => {
  const { statusPages: texts } = useTexts()
  const { isPublished, visibility, url } = page
  return (
    <p className={classes.state}>
      <StateMark state={isPublished ? 'ok' : 'none'} />
      <strong>{isPublished ? texts.published : texts.unpublished}</strong>
      <span className={classes.quiet}>{texts.visibilities[visibility]}</span>
      <span className={classes.quiet}>
        <bdi>{url}</bdi>
      </span>
      <Link to="/pages">{texts.title}</Link>
    </p>
  )
}
