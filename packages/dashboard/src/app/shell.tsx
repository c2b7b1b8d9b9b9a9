/** Frame of the application: navigation, account menu and the current view. */
import type { Right } from '@status-page/contracts'
import { Link, Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { ComposerProvider } from '../composer/composer.tsx'
import { NewIncidentButton } from '../composer/new-incident-button.tsx'
import { useIsFirstRunOpen } from '../first-run/first-run.ts'
import { Icon, type IconName } from '../kit/icon.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { Palette } from '../palette/palette.tsx'
import { useSession } from '../session/session.tsx'
import { SessionEndDialog } from '../session/session-end-dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { OfflineBanner } from './offline-banner.tsx'
import { ProblemNote } from './problem-note.tsx'
import classes from './shell.module.css'

const destinations = [
  { to: '/', icon: 'overview', text: 'overview', right: null },
  { to: '/incidents', icon: 'incident', text: 'incidents', right: 'INCIDENTS_VIEW' },
  { to: '/components', icon: 'components', text: 'components', right: 'COMPONENTS_VIEW' },
  { to: '/start', icon: 'start', text: 'start', right: null },
] as const satisfies { to: string; icon: IconName; text: string; right: Right | null }[]

export const Shell = () => (
  <ComposerProvider>
    <Frame />
  </ComposerProvider>
)

const Frame = () => {
  const texts = useTexts()
  const { organization, can } = useSession()
  const isFirstRunOpen = useIsFirstRunOpen()
  const [accountError, setAccountError] = useState<unknown>(null)
  const shown = destinations.filter(
    ({ to, right }) => (to !== '/start' || isFirstRunOpen) && (right === null || can(right)),
  )
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        {texts.skipToContent}
      </a>
      <header className={classes.top}>
        <p className={classes.organization}>
          <bdi>{organization.name}</bdi>
        </p>
        <Palette
          destinations={shown.map(({ to, text }) => ({ to, label: texts.navigation[text] }))}
        />
        <AccountMenu onError={setAccountError} />
      </header>
      <div className={classes.actions}>
        <NewIncidentButton />
      </div>
      <nav className={classes.navigation} aria-label={texts.navigation.label}>
        {shown.map(({ to, icon, text }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/' }} className={classes.link}>
            <Icon name={icon} />
            {texts.navigation[text]}
          </Link>
        ))}
      </nav>
      <main id="main" className={classes.main} tabIndex={-1}>
        <OfflineBanner />
        <LiveUpdates />
        <div className={classes.notice}>
          <ProblemNote error={accountError} />
        </div>
        <ErrorBoundary>
          <Outlet />
        </ErrorBoundary>
      </main>
      <SessionEndDialog />
    </div>
  )
}
