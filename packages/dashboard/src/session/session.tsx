/** Signed-in user: identity, organization and rights. Without a session, the login page follows. */
import { ApiError, type Schemas } from '@status-page/client'
import type { Right } from '@status-page/contracts'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo, useRef } from 'react'
import { basePath, dashboardPath, pathBelowBase } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { ProblemScreen } from '../app/problem.tsx'
import { Skeleton } from '../kit/screen.tsx'

type Me = Schemas['Me']

export interface UserSession {
  user: NonNullable<Me['user']>
  organization: Me['organization']
  organizations: Me['organizations']
  /** Whether the role has the right; an action without it is not shown. */
  can(right: Right): boolean
}

const SessionContext = createContext<UserSession | null>(null)

const UNAUTHORIZED = 401

export const signInUrl = (next: string): string =>
  `${basePath}/sign-in?next=${encodeURIComponent(pathBelowBase(next))}`

export const SessionProvider = ({ children }: { children: ReactNode }) => {
  const { data: me, error, refetch } = useQuery(meQuery)
  const needsLogin = me === undefined && error instanceof ApiError && error.status === UNAUTHORIZED
  useEffect(() => {
    if (needsLogin) location.replace(signInUrl(location.pathname + location.search))
  }, [needsLogin])
  const session = useMemo(() => (me === undefined ? null : sessionOf(me)), [me])
  useReloadForOthers(session)
  if (session !== null) return <SessionContext value={session}>{children}</SessionContext>
  if (error !== null && !needsLogin) return <ProblemScreen error={error} onRetry={refetch} />
  return <Skeleton />
}

/** Loads the page again once another tab has changed the user or the organization of the session. */
const useReloadForOthers = (session: UserSession | null) => {
  const first = useRef<string | null>(null)
  useEffect(() => {
    if (session === null) return
    const identity = `${session.organization.id} ${session.user.id}`
    first.current ??= identity
    if (first.current !== identity) location.assign(`${dashboardPath}/`)
  }, [session])
}

const sessionOf = (me: Me): UserSession | null => {
  if (me.user === null) return null
  const rights = new Set(me.permissions)
  return { ...me, user: me.user, can: (right) => rights.has(right) }
}

export const useSession = (): UserSession => {
  const session = use(SessionContext)
  if (session === null) throw new Error('useSession requires a SessionProvider')
  return session
}
