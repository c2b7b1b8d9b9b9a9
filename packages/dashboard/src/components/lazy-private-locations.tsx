/** Choice of private locations, which checks without agents do not load. */
import { lazyPart } from '../modules/lazy-part.tsx'
import { withTexts } from '../texts/language.ts'

const load = withTexts(() => import('./private-locations-field.tsx'), 'locations')

export const LazyPrivateLocations = lazyPart(
  async () => (await load()).PrivateLocationsField,
  () => null,
)
