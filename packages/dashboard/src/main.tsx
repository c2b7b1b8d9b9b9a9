/** Start of the dashboard in the browser. */
import './styles/tokens.css'
import './styles/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { basePath } from './api/client.ts'
import { meQuery } from './api/queries.ts'
import { createQueryClient } from './api/query-client.ts'
import { firstViewShown, onViewRendered } from './app/first-view.ts'
import { router } from './app/router.tsx'
import { applyTheme, chosenTheme } from './app/theme.ts'
import { removeOldInput } from './app/unsent-store.ts'
import { followFailedStyles } from './modules/load-module.ts'
import { SessionProvider } from './session/session.tsx'
import { markSessionEnded } from './session/session-end.ts'
import { chosenLocale, loadTexts } from './texts/language.ts'
import { LanguageProvider } from './texts/texts.tsx'

applyTheme(chosenTheme())
removeOldInput()
followFailedStyles()

const queryClient = createQueryClient({
  onSessionEnd: markSessionEnded,
  onEnrolmentRequired: () => location.assign(`${basePath}/account`),
})

// Texts, session and view of the address are requested at the same time.
const texts = loadTexts(chosenLocale())
void queryClient.prefetchQuery(meQuery)
void router.load()

const stopRendered = router.subscribe('onRendered', () => {
  stopRendered()
  onViewRendered(queryClient)
})
// Ahead, so that all views have their texts when the network fails during an outage. A view loads
// again what failed here.
Promise.all([texts, firstViewShown])
  .then(([loaded]) => loaded.load())
  .catch(() => undefined)

const container = document.getElementById('root')
if (container === null) throw new Error('index.html lacks the element #root')

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </StrictMode>,
)
