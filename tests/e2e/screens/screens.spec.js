// Every screen of the page, wide and on a phone, in both themes: a screenshot of each is stored in target/screens for review, axe
// must report no violations, and no screen may scroll sideways.

import { readdirSync } from "node:fs";
import { App } from "../app.js";
import { expect, test } from "../fixture.js";

const FOLDER = "../../target/screens";
const VIEWS = ["shares", "division", "tree", "gantt", "fairness", "trends"];
const WIDE = [1440, 900];
const PHONE = [390, 844];
const SIZES = [WIDE, [1280, 800], [1024, 768], [768, 1024], PHONE];

const project = (name, deserved, overQuotaWeight) => ({
  name,
  departmentName: "research",
  resources: [{ nodePool: { name: "default" }, gpu: { deserved, overQuotaWeight } }],
});
const PROJECTS = JSON.stringify({ projects: [project("vision", 4, 2), project("speech", 2, 1)] });

const view = (at) => async (app, page) => {
  await app.steps(2);
  await app.now.focus();
  await page.keyboard.press(String(at + 1));
  await expect(page.getByRole("tab", { selected: true }).last()).toBeVisible();
};

const press = (name) => (app, page) => page.getByRole("button", { name, exact: true }).click();

const item = (name) => async (app, page) => {
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name }).click();
};

const dialog = (open) => async (app, page) => {
  await open(app, page);
  await expect(page.getByRole("dialog").first()).toBeVisible();
};

const example = (id, n) => (app) => app.at(id, n);

/** Opens a lesson at a frame, and answers its question. */
const lesson = (address, answer) => async (app, page) => {
  await page.evaluate((address) => (location.hash = address), `#lesson=${address}`);
  await expect(page.locator(".lesson")).toContainText(` · ${address.split(".")[1]} of `);
  if (answer) {
    await page.locator(".lesson").getByRole("button", { name: answer, exact: true }).click();
    await expect(page.locator(".outcome")).toBeVisible();
  }
  await app.arrived();
};

/** Answers a question of a lesson, then goes to its last frame; returns the result code. */
const resultCode = async (app, page) => {
  await lesson("quota.4", "True")(app, page);
  const next = page.locator("#lesson-next");
  for (let press = 0; press < 4; press += 1) await next.click();
  await expect(next).toHaveText("Finish");
  await app.arrived();
  return page.getByRole("textbox", { name: "Result code" }).inputValue();
};

const CHIP = "Start empty or import your own";

/** Name of each screen, actions that lead there from the start page, and the panel shown on a phone. */
const SCREENS = [
  ["start", async () => {}],
  ...VIEWS.map((name, at) => [name, view(at)]),
  [
    "why-queue",
    async (app) => {
      await app.steps(1);
      await app.share("team-b").click();
    },
    "Why",
  ],
  ["why-evicted", (app) => app.steps(1), "Why"],
  [
    "why-rule",
    async (app, page) => {
      await app.steps(1);
      await app.tab("Rules").click();
      await page.getByRole("button", { name: "reclaim, maintain fair share", exact: true }).first().click();
      await expect(app.why).toContainText("decided 1 time in cycle 1");
    },
    "Why",
  ],
  ["time", (app) => app.steps(3), "Time"],
  ...["Queues", "Nodes", "Work", "Rules", "Text"].map((tab) => [
    `setup-${tab.toLowerCase()}`,
    (app, page) => page.locator(".setup").getByRole("tab", { name: new RegExp(tab, "i") }).click(),
    "Setup",
  ]),
  [
    "setup-mistake",
    async (app, page) => {
      await app.cell('queues["team-a"].gpu.quota').click();
      await page.locator(".edit-box input").fill("many");
      await page.locator(".edit-box input").press("Enter");
    },
    "Setup",
  ],
  [
    "edited",
    async (app) => {
      await app.steps(2);
      await app.set('queues["team-a"].gpu.quota', "3");
    },
  ],
  [
    "kept-runs",
    async (app, page) => {
      await app.steps(1);
      await page.getByRole("button", { name: "Keep as A" }).click();
      await app.set('queues["team-a"].gpu.quota', "3");
      await app.steps(1);
    },
  ],
  [
    "fairness-warnings",
    async (app, page) => {
      await example("tug-of-war", 12)(app, page);
      await app.now.focus();
      await page.keyboard.press("5");
      await expect(app.now.getByText("Starvation")).toBeVisible();
    },
  ],
  [
    "compare",
    async (app, page) => {
      await app.example("four-schedulers");
      await app.command("Compare policies");
      await expect(app.now.locator(".compared svg").first()).toBeVisible();
      await expect(app.now.locator("progress")).toHaveCount(0, { timeout: 20_000 });
    },
  ],
  [
    "empty",
    async (app, page) => {
      await press(CHIP)(app, page);
      await press("Start empty")(app, page);
      await expect(page.getByRole("dialog")).toHaveCount(0);
    },
  ],
  [
    "recorder",
    async (app, page) => {
      await app.command("Record a lesson");
      const recorder = page.getByRole("region", { name: "Lesson recorder" });
      await recorder.getByRole("button", { name: "Take a frame" }).click();
      await app.steps(1);
      await recorder.getByRole("button", { name: "Take a frame" }).click();
      await recorder.locator("summary", { hasText: "Question" }).click();
      await recorder.getByRole("combobox", { name: "Kind of question" }).selectOption("truth");
    },
  ],
  ["lesson", lesson("fair-share.3")],
  ["lesson-question", lesson("fair-share.5")],
  ["lesson-answer", lesson("reclaim.2", "a1")],
  ["lesson-pools", lesson("runai-pools.3")],
  ["lesson-last", lesson("yunikorn-fences.9")],
  ["lesson-result-code", resultCode],
  [
    "dialog-result-codes",
    dialog(async (app, page) => {
      const code = await resultCode(app, page);
      await app.command("Add up result codes of lessons");
      const codes = page.getByRole("textbox", { name: "Result codes, one per line" });
      await codes.fill([code, code, code.replace(/...$/, "rrw"), "mine", "FG1-quota-00000000-rw"].join("\n"));
      await expect(page.getByRole("table").first()).toContainText("True or false");
    }),
  ],
  ["dialog-paste", dialog(press(CHIP))],
  ["dialog-examples", dialog(press("Examples"))],
  ["dialog-share", dialog(press("Share"))],
  ["dialog-help", dialog(item("Help"))],
  ["dialog-about", dialog((app) => app.command("About: version"))],
  ["dialog-keys", dialog((app, page) => page.keyboard.press("?"))],
  ["dialog-palette", dialog((app, page) => page.keyboard.press("Control+k"))],
  ["dialog-go-to", dialog((app, page) => page.keyboard.press("g"))],
  [
    "dialog-term",
    dialog((app, page) => page.locator(".legend").getByRole("button", { name: "fair share" }).first().click()),
  ],
  ["dialog-import", dialog((app) => app.drop([["projects.json", PROJECTS]]))],
  [
    "dialog-reset",
    dialog(async (app, page) => {
      await app.set('queues["team-a"].gpu.quota', "3");
      await expect.poll(async () => (await app.drafts()).length).toBe(1);
      await page.evaluate(() => (location.hash = "#reset"));
    }),
  ],
  [
    "dialog-converted",
    dialog(async (app, page) => {
      await page.getByRole("button", { name: /^Policy: / }).click();
      await page.getByRole("menuitemradio", { name: "Apache YuniKorn" }).click();
      await app.waitForPolicy("YuniKorn");
      await app.command("Show converted settings");
    }),
  ],
  ["dialog-fidelity", dialog((app) => app.command("How accurate is this?"))],
  [
    "damaged-link",
    async (app, page) => {
      await page.goto("./#d1.AAAAnonsense.zz9&at=7");
      await page.reload();
    },
  ],
  [
    "embedded",
    async (app, page) => {
      await page.goto("./?embed=1");
      await app.arrived();
      await app.steps(1);
    },
  ],
  ["kai-gang", example("gang-of-four", 2)],
  ["runai-start", example("runai-projects", 2)],
  ["runai-over-subscribed", example("runai-over-subscribed", 2)],
  ["yunikorn-start", example("tenants-and-offsets", 2)],
  ["yunikorn-fence", example("preemption-fence", 3)],
  [
    "saturation",
    async (app, page) => {
      await example("reclaim-multiplier", 1)(app, page);
      await app.show("Trends");
      await page.getByLabel("Show:").selectOption("saturation ratio");
    },
  ],
  [
    "states",
    async (app, page) => {
      await example("runai-low-takes-high", 3)(app, page);
      await app.show("Trends");
    },
  ],
  ["ego-start", example("ego-eighteen-slots", 2)],
  ["ego-grace", example("ego-grace", 3)],
  [
    "priorities",
    async (app, page) => {
      await example("tenants-and-offsets", 11)(app, page);
      await app.show("Priorities");
    },
  ],
  [
    "ego-share-usage",
    async (app, page) => {
      await example("ego-share-usage", 1)(app, page);
      await app.show("Share usage");
    },
  ],
  ["two-pools", example("two-pools", 2)],
];

/** Takes a screenshot of the page at rest, and checks it. `isSeen`: axe has seen the same elements in another size. */
async function look(app, name, isSeen = false) {
  await app.page.mouse.move(0, 0);
  await app.page.waitForTimeout(250);
  await app.page.screenshot({ path: `${FOLDER}/${name}.png` });
  if (!isSeen) await app.expectAccessible(name, { soft: true });
  await app.expectNoSidewaysScroll(name, { soft: true });
  await app.expectRoomForTexts(name, { soft: true });
}

for (const [name, lead, panel] of SCREENS) {
  test(name, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const app = new App(page);
    await app.open();
    await lead(app, page);
    for (const [width, height] of [WIDE, PHONE]) {
      await page.setViewportSize({ width, height });
      if (panel) await app.bring(panel);
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        await look(app, `${name}-${width}-${theme}`, width === PHONE[0] && theme === "light");
      }
    }
  });
}

/** Lessons in the folder of their files. */
const LESSONS = readdirSync(new URL("../../../assets/lessons/", import.meta.url)).map((file) => file.replace(".yaml", ""));

/**
 * Every lesson is played by keyboard: every frame and every answer, wide in the light theme, on a phone in the dark one.
 * Each check is a part of that of a screen: axe has seen the parts of a lesson.
 */
for (const name of LESSONS) {
  test(`lesson ${name}`, async ({ page }) => {
    test.setTimeout(300_000);
    await page.emulateMedia({ reducedMotion: "reduce" });
    const app = new App(page);
    await app.open(`./#lesson=${name}.1`);
    const next = page.locator("#lesson-next");
    for (let at = 1; ; at += 1) {
      for (const [[width, height], theme] of [[WIDE, "light"], [PHONE, "dark"]]) {
        const frame = `lesson-${name}-${String(at).padStart(2, "0")}-${width}-${theme}`;
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: theme });
        await page.waitForTimeout(150);
        await page.screenshot({ path: `${FOLDER}/${frame}.png` });
        await app.expectNoSidewaysScroll(frame, { soft: true });
        await app.expectRoomForTexts(frame, { soft: true });
      }
      if ((await next.textContent()) === "Finish") break;
      await expect(next).toBeFocused();
      await page.keyboard.press("Enter");
      await app.arrived();
    }
  });
}

/** Presented moments: name, actions that lead there, then keys. */
const PRESENTED = [
  ["start", async () => {}, ["PageDown"]],
  ["division", example("four-schedulers", 3), ["c"]],
  ["spotlight", async (app) => {
    await app.steps(1);
    await app.share("team-b").click();
  }, []],
  ["four-schedulers", example("four-schedulers", 22), []],
  ["tree", example("runai-departments-and-pools", 1), []],
  ["priorities", example("tenants-and-offsets", 1), []],
  ["watch", example("quota-is-a-floor", 0), []],
  ["lesson-question", lesson("reclaim.2"), []],
  ["lesson-answer", lesson("fair-share.5"), ["PageDown"]],
];

for (const [name, lead, keys] of PRESENTED) {
  test(`presented: ${name}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1920, height: 1080 });
    const app = new App(page);
    await app.open();
    await lead(app, page);
    for (const key of ["p", ...keys]) await page.keyboard.press(key);
    await expect(page.locator("html")).toHaveClass("presenting");
    await app.arrived();
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      await look(app, `present-${name}-1920-${theme}`);
    }
  });
}

for (const [width, height] of SIZES.slice(1, -1)) {
  test(`${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const app = new App(page);
    await app.open("./?theme=light");
    await app.steps(2);
    for (const [at, name] of VIEWS.entries()) {
      await app.now.focus();
      await page.keyboard.press(String(at + 1));
      await look(app, `${name}-${width}-light`);
    }
  });
}

for (const [width, height] of [WIDE, PHONE]) {
  test(`${width} px, forced colours`, async ({ page }) => {
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
    await page.setViewportSize({ width, height });
    const app = new App(page);
    await app.open();
    await app.steps(2);
    for (const [at, name] of VIEWS.entries()) {
      await app.now.focus();
      await page.keyboard.press(String(at + 1));
      await look(app, `${name}-${width}-forced`);
    }
  });
}
