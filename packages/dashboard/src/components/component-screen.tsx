/** One component: its state, and one of its views. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Problem } from '../app/problem.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { ViewNavigation } from '../kit/view-navigation.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ComponentActions } from './component-actions.tsx'
import classes from './detail.module.css'
import { MonitoringView } from './monitoring-view.tsx'
import { componentQuery } from './queries.ts'
import { SettingsView } from './settings-view.tsx'
import { confirmedSourceOf } from './status-source.ts'
import type { ComponentData } from './tree.ts'

export const MonitoringScreen = () => {
  const { id } = useParams({ from: '/components/$id' })
  return <ComponentScreen key={id} id={id} view={MonitoringView} />
}

export const SettingsScreen = () => {
  const { id } = useParams({ from: '/components/$id/settings' })
  return <ComponentScreen key={id} id={id} view={SettingsView} />
}

interface ComponentScreenProps {
  id: string
  view: ComponentType<{ component: ComponentData }>
}

const ComponentScreen = ({ id, view: View }: ComponentScreenProps) => {
  const { componentScreens: texts } = useTexts()
  const { data: component, error, refetch } = useQuery(componentQuery(id))
  if (component === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return (
    <Screen title={component.name} aside={<ComponentActions component={component} />}>
      <StateLine component={component} />
      <Notices component={component} />
      <ViewNavigation label={texts.detail.views}>
        <Link to="/components/$id" params={{ id }} activeOptions={{ exact: true }}>
          {texts.detail.monitoring}
        </Link>
        <Link to="/components/$id/settings" params={{ id }}>
          {texts.detail.settings}
        </Link>
      </ViewNavigation>
      <View component={component} />
    </Screen>
  )
}

const StateLine = ({ component }: { component: ComponentData }) => {
  const texts = useTexts()
  const { detail, row, types } = texts.componentScreens
  const { fill, time } = useFormats()
  const { status, statusChangedAt, type } = component
  const source = confirmedSourceOf(component)
  return (
    <p className={classes.state}>
      <StateMark state={componentStates[status]} />
      <strong>{texts.components[status]}</strong>
      <span className={classes.quiet}>{fill(detail.since, { time: time(statusChangedAt) })}</span>
      <span className={classes.quiet}>{source === null ? row.never : detail.sources[source]}</span>
      <span className={classes.quiet}>{types[type]}</span>
      <Link to="/components">{detail.back}</Link>
    </p>
  )
}

const Notices = ({ component }: { component: ComponentData }) => {
  const { detail } = useTexts().componentScreens
  const { facts, fill } = useFormats()
  const monitor = component.monitors?.[0]
  const unserved = monitor?.unservedLocations ?? []
  const notices = [
    !component.isEnabled && detail.disabled,
    component.isMuted && detail.muted,
    monitor?.isFlapping === true && detail.flapping,
    unserved.length > 0 && fill(detail.unserved, { locations: facts(unserved) }),
    component.managedByConfig && detail.managed,
  ].filter((notice) => notice !== false)
  return notices.map((notice) => (
    <Note key={notice} state="slow">
      {notice}
    </Note>
  ))
}
