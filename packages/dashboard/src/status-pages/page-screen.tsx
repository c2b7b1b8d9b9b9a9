/** One status page: its state and actions, and one of its views. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Problem } from '../app/problem.tsx'
import classes from '../components/detail.module.css'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { ViewNavigation } from '../kit/view-navigation.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DesignView } from './design-view.tsx'
import { DomainView } from './domain-view.tsx'
import { EmbedView } from './embed-view.tsx'
import { PageActions } from './page-actions.tsx'
import type { PageResource } from './page-draft.ts'
import { statusPageQuery } from './queries.ts'

export const DesignScreen = () => {
  const { id } = useParams({ from: '/pages/$id' })
  return <StatusPageScreen key={id} id={id} view={DesignView} />
}

export const DomainScreen = () => {
  const { id } = useParams({ from: '/pages/$id/domain' })
  return <StatusPageScreen key={id} id={id} view={DomainView} />
}

export const EmbedScreen = () => {
  const { id } = useParams({ from: '/pages/$id/embed' })
  return <StatusPageScreen key={id} id={id} view={EmbedView} />
}

interface StatusPageScreenProps {
  id: string
  view: ComponentType<{ page: PageResource }>
}

const StatusPageScreen = ({ id, view: View }: StatusPageScreenProps) => {
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
