/** Frame of the application: navigation, account menu and the current view. */
import { Outlet, useMatchRoute } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { ComposerParts, ComposerProvider } from '../composer/composer.tsx'
import { NewIncidentButton } from '../composer/new-incident-button.tsx'
import { useIsFirstRunOpen } from '../first-run/first-run.ts'
import { Skeleton } from '../kit/screen.tsx'
import { Truncated } from '../kit/truncated.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { Palette } from '../palette/palette.tsx'
import { useSession } from '../session/session.tsx'
import { SessionEndDialog } from '../session/session-end-dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { AccountMenu } from './account-menu.tsx'
import { destinationGroups, type NavigationItem } from './destinations.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Navigation } from './navigation.tsx'
import { OfflineBanner } from './offline-banner.tsx'
import { ProblemNote } from './problem-note.tsx'
import classes from './shell.module.css'

/** The tab of a login has no frame: the tab that waits for the login publishes queued incidents. */
export const Shell = () => {
  const isLoginTab = useMatchRoute()({ to: '/signed-in' }) !== false
  return isLoginTab ? (
    <main className={classes.main}>
      <Outlet />
    </main>
  ) : (
    frame
  )
}

const Frame = () => {
  const texts = useTexts()
  const { organization, can } = useSession()
  const isFirstRunOpen = useIsFirstRunOpen()
  const [accountError, setAccountError] = useState<unknown>(null)
  const shown = destinationGroups
    .flatMap(({ destinations }): readonly NavigationItem[] => destinations)
    .filter(
      ({ to, right }) => (to !== '/start' || isFirstRunOpen) && (right === null || can(right)),
    )
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        {texts.skipToContent}
      </a>
      <div className={classes.side}>
        <header className={classes.top}>
          <p className={classes.organization}>
            <Truncated>{organization.name}</Truncated>
          </p>
          <Palette
            destinations={shown.map(({ to, text }) => ({ to, label: texts.navigation[text] }))}
          />
          <AccountMenu onError={setAccountError} />
        </header>
        <div className={classes.actions}>
          <NewIncidentButton />
        </div>
        <Navigation destinations={shown} />
      </div>
      <main id="main" className={classes.main} tabIndex={-1}>
        <ErrorBoundary>
          <Suspense fallback={<Skeleton rows={8} />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      <div className={classes.notices}>
        <OfflineBanner />
        <LiveUpdates />
        <ProblemNote error={accountError} />
        <ComposerParts />
      </div>
      <SessionEndDialog />
    </div>
  )
}

/** One element, so that a change of the address renders the view and not its frame. */
const frame = (
  <ComposerProvider>
    <Frame />
  </ComposerProvider>
)
