// Passkeys in Chromium with its virtual authenticator: added, used to sign in and as second factor, canceled, and
// removed. If DOCWRIGHT_TEST_SCREENSHOTS contains the path of a folder, screenshots are saved there.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isAccessible, isValid } from "./pages.mjs";
import * as service from "./service.mjs";

const pictures = process.env.DOCWRIGHT_TEST_SCREENSHOTS;
const EMAIL = "ada@example.com";
const SECURITY = "/account/security";

let instance, address, page, authenticator;
// The HTML of the page as sent, or nothing if Chromium dropped it, as after a redirect by a script.
let sent;
// Pages that the HTML validator has checked.
const valid = new Set();

before(async () => {
  instance = await service.newInstall();
  // A passkey needs a hostname; an IP address isn't allowed.
  address = instance.address;
  page = await instance.open();
  page.on("response", (response) => {
    if (response.request().isNavigationRequest() && response.ok()) sent = response.text().catch(() => null);
  });
  authenticator = await device(page);
  await page.goto(address + instance.setup);
  await fill({ Name: "Ada Lovelace", Email: EMAIL, Password: service.PASSWORD, Organization: "Acme" });
  await press("Create account");
});

after(() => instance?.close());

// A device with a fingerprint sensor. The returned functions change its behavior.
async function device(of) {
  const session = await of.context().newCDPSession(of);
  await session.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", { options });
  return {
    credentials: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    // Whether the user touches the sensor or cancels.
    agree: (isUserVerified) => session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
  };
}

const fill = (fields) => service.fill(page, fields);
const press = (name) => service.press(page, name);
const follow = (name) => service.follow(page, name);
const title = () => service.title(page);
const text = () => page.locator("main").innerText();

async function sign(way) {
  await page.goto(`${address}/sign-in?next=${encodeURIComponent(SECURITY)}`);
  if (way === "password") {
    await fill({ Email: EMAIL, Password: service.PASSWORD });
    await press("Sign in");
  } else {
    await follow("Sign in with a passkey");
  }
}

async function signOut() {
  await press("Sign out");
  assert.equal(await title(), "Sign in");
}

// Checks a page in each window.
async function look(name) {
  if (pictures) mkdirSync(pictures, { recursive: true });
  const html = await sent;
  if (html) {
    await isValid(html);
    valid.add(name);
  }
  for (const [kind, width, colorScheme] of [["light", 1280, "light"], ["dark", 1280, "dark"], ["narrow", 390, "light"]]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    // Colors change with a short transition.
    await page.evaluate(() => Promise.all(document.getAnimations().map((each) => each.finished)));
    if (pictures) await page.screenshot({ path: join(pictures, `passkeys-${name}-${kind}.png`), fullPage: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
    await isAccessible(page);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
}

test("passkey is added and the first shows recovery codes", async () => {
  await page.goto(address + SECURITY);
  assert.match(await text(), /No passkeys yet/);
  await look("none");
  await follow("Add passkey");
  await fill({ "Passkey name": "Laptop", Password: "a wrong password" });
  await press("Continue");
  assert.match(await page.getByRole("alert").innerText(), /Nothing changed/);
  await look("name");
  // The user cancels, then touches the sensor.
  await authenticator.agree(false);
  await fill({ Password: service.PASSWORD });
  await press("Continue");
  await page.getByText("Canceled, or took too long").waitFor();
  await look("cancelled");
  assert.equal((await authenticator.credentials()).length, 0);
  await authenticator.agree(true);
  await press("Create passkey");
  await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
  assert.equal((await page.locator("main li code").allInnerTexts()).length, 10);
  await follow("I saved my recovery codes");
  assert.match(await text(), /Laptop/);
  await look("one");
  const [credential] = await authenticator.credentials();
  assert.ok(credential.isResidentCredential);
  assert.equal(credential.rpId, new URL(address).hostname);
});

test("same device cannot add a second passkey", async () => {
  await follow("Add passkey");
  await fill({ "Passkey name": "Laptop again", Password: service.PASSWORD });
  await press("Continue");
  await page.getByText("already has a passkey of your account").waitFor();
});

test("passkey alone signs in after a canceled attempt", async () => {
  await page.goto(address + SECURITY);
  await signOut();
  await look("sign-in");
  await authenticator.agree(false);
  await sign("passkey");
  await page.getByText("Canceled, or took too long").waitFor();
  assert.equal(await title(), "Sign in with a passkey");
  await look("sign-in-cancelled");
  await authenticator.agree(true);
  await press("Use passkey");
  await page.waitForURL(address + SECURITY);
  assert.match(await text(), /Last used: just now/);
});

test("password needs the passkey as second factor", async () => {
  await signOut();
  await sign("password");
  assert.equal(await title(), "Two-factor authentication");
  await look("second-factor");
  await page.goto(address + SECURITY);
  assert.equal(await title(), "Sign in");
  await sign("password");
  await follow("Use passkey");
  await page.waitForURL(address + SECURITY);
  assert.match(await text(), /Laptop/);
});

test("page without scripts explains that passkeys need them", async () => {
  const plain = await instance.open({ javaScriptEnabled: false });
  await plain.goto(`${address}/sign-in/passkey`);
  assert.match(await plain.locator("main").innerText(), /need JavaScript/);
  assert.equal(await plain.getByRole("button", { name: "Use passkey" }).count(), 0);
  await plain.getByRole("link", { name: "Sign in with your password" }).click();
  assert.equal(await plain.locator("h1").innerText(), "Sign in");
});

test("removed passkey cannot sign in", async () => {
  await follow("Remove Laptop");
  await look("remove");
  await fill({ Password: service.PASSWORD });
  await press("Remove Laptop");
  assert.match(await text(), /No passkeys yet/);
  await signOut();
  // The device still offers the passkey.
  assert.equal((await authenticator.credentials()).length, 1);
  await sign("passkey");
  await page.getByText("doesn't sign you in here").waitFor();
  await look("refused");
  await sign("password");
  assert.equal(page.url(), address + SECURITY);
});

test("no script failed and no page violated its policy", () => {
  assert.deepEqual(instance.errors, []);
  assert.ok(valid.size >= 5, [...valid].join());
});
