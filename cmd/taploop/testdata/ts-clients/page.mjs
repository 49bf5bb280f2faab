// A whole task with a question, typed into a chat page in a browser, as a person does. The page is llm-webchat's, which takes
// it to the endpoint with the program llm.
// Usage: page.mjs PAGE BROWSER, with GOAL and ANSWER in the environment.
import { chromium } from 'playwright-core'

const [page, executablePath] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const tab = await browser.newPage()
tab.setDefaultTimeout(30_000)
try {
  await tab.goto(page)
  await tab.locator('.model-selector-trigger').click()
  await tab.getByText('taploop', { exact: true }).last().click()
  // The page takes nothing while an answer is still coming: it leaves the words in the field then.
  const said = async (words) => {
    const field = tab.locator('textarea')
    await field.fill(words)
    for (let tries = 0; tries < 60 && await field.inputValue().catch(() => '') === words; tries++) {
      await field.press('Enter')
      await tab.waitForTimeout(500)
    }
  }
  await said(process.env.GOAL)
  await tab.getByText(/Which size|What size|size do you/i).first().waitFor()
  await said(process.env.ANSWER)
  await tab.getByText('in your size').first().waitFor()
  const shown = await tab.locator('#app').innerText()
  if (shown.includes('[//]:')) throw new Error(`the page shows what Markdown does not: ${shown}`)
  console.log('llm-webchat (PyPI) in a browser: ok')
} catch (e) {
  console.error(await tab.locator('body').innerText())
  throw e
} finally {
  await browser.close()
}
