/** Root of the routes: the frame of the application. */
import { createRootRoute } from '@tanstack/react-router'
import { NotFoundScreen } from './not-found-screen.tsx'
import { Shell } from './shell.tsx'

export const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundScreen })
