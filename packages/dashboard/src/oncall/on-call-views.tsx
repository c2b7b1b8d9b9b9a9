/** Links between the views of on-call. */
import { Link } from '@tanstack/react-router'
import { ViewNavigation } from '../kit/view-navigation.tsx'
import { useTexts } from '../texts/texts.tsx'

export const OnCallViews = () => {
  const { onCall: texts } = useTexts()
  return (
    <ViewNavigation label={texts.views}>
      <Link to="/on-call" activeOptions={{ exact: true }}>
        {texts.schedules}
      </Link>
      <Link to="/on-call/alerts">{texts.alerts}</Link>
    </ViewNavigation>
  )
}
