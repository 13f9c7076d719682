// The content that the tests and the pictures of themes share.

export const THEMES = ["mint", "maple", "palm", "willow", "linden", "almond", "aspen", "sequoia", "luma"];

const LOGO = (color) => `<svg xmlns="http://www.w3.org/2000/svg" width="112" height="28"><circle cx="14" cy="14" r="10" fill="#0f766e"/><text x="32" y="20" font-family="sans-serif" font-weight="700" font-size="18" fill="${color}">Harbor</text></svg>`;

const HOME = `---
title: Quickstart
description: Send the first event, and see it arrive.
icon: rocket
---

Harbor receives events from your services and delivers them to the places that you name. This page takes five minutes.

<CardGroup cols={2}>
  <Card title="Send events" icon="paper-plane" href="/send">From a server, a browser, or a queue.</Card>
  <Card title="Deliver them" icon="truck" href="/deliver">To a webhook, a table, or a file.</Card>
</CardGroup>

## Install the client

<Tabs>
  <Tab title="Rust">Add the crate, then start the client once.</Tab>
  <Tab title="Python">Install the package, then start the client once.</Tab>
</Tabs>

\`\`\`bash main.sh
curl https://api.example.com/events -d '{"name": "signup"}'
\`\`\`

<Note>Events without a name are refused.</Note>

## Check the result

| Field | Meaning |
| --- | --- |
| \`name\` | Name of the event |
| \`at\` | Time in UTC |

### In the dashboard

Open [the list](/deliver) of deliveries. Each event has a line.

<Accordion title="Nothing arrives">Look at the status of the delivery.</Accordion>

## Next steps

Read how events are [sent](/send).
`;

const page = (title, icon) => `---\ntitle: ${title}\nicon: ${icon}\n---\n\n## First part\n\nSome words.\n\n## Second part\n\nMore words.\n`;

/// The site in a theme. With languages it has menus, and a part that runs from right to left.
export function files(theme, { languages = false, tabs = ["Guides", "API"] } = {}) {
  const groups = (folder) => [
    { group: "Get started", icon: "flag", pages: ["index", "send", "deliver"].map((path) => folder + path) },
    { group: "Operate", icon: "gear", pages: [`${folder}limits`, { group: "Security", icon: "lock", pages: [`${folder}keys`, `${folder}audit`] }, `${folder}alerts`] },
  ];
  const divisions = (folder) => ({ tabs: [{ tab: tabs[0], groups: groups(folder) }, { tab: tabs[1], pages: [`${folder}api`] }] });
  const content = { "index.mdx": HOME, "send.mdx": page("Send events", "paper-plane"), "deliver.mdx": page("Deliver events", "truck"), "limits.mdx": page("Limits", "gauge"), "keys.mdx": page("API keys", "key"), "audit.mdx": page("Audit log", "list"), "alerts.mdx": page("Alerts", "bell"), "api.mdx": page("API", "code") };
  const arabic = Object.fromEntries(Object.entries(content).map(([path, text]) => [`ar/${path}`, text.replace("title: Quickstart", "title: بداية سريعة")]));
  return {
    "docs.json": {
      theme,
      name: "Harbor",
      colors: { primary: "#0f766e", light: "#2dd4bf", dark: "#0f766e" },
      logo: { light: "/logo.svg", dark: "/logo-dark.svg" },
      navbar: { links: [{ label: "Status", href: "https://example.com/status" }], primary: { type: "button", label: "Sign in", href: "https://example.com" } },
      footer: { socials: { github: "https://github.com/acme" } },
      navigation: {
        ...(languages ? { languages: [{ language: "en", ...divisions("") }, { language: "ar", ...divisions("ar/") }] } : divisions("")),
        global: { anchors: [{ anchor: "Community", icon: "users", href: "https://example.com/community" }] },
      },
    },
    "logo.svg": LOGO("#111827"),
    "logo-dark.svg": LOGO("#f3f4f6"),
    ...content,
    ...(languages ? arabic : {}),
  };
}
