/** View of an unknown address. */
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../kit/button.tsx'
import { Screen } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'

export const NotFoundScreen = () => {
  const { states } = useTexts()
  return (
    <Screen title={states.notFound} intro={states.notFoundHint}>
      <p>
        <Link to="/" className={buttonClass()}>
          {states.toOverview}
        </Link>
      </p>
    </Screen>
  )
}
