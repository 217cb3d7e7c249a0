//! `info`: tables.

use crate::session::{Answer, Session, plural, triple};

impl Session {
    pub(crate) fn info(&mut self, text: &str) -> Answer {
        let words: Vec<&str> = text.split_whitespace().collect();
        match &words[..] {
            ["breakpoints" | "break" | "b"] => self.info_breakpoints(),
            ["registers" | "r"] => self.registers(),
            ["args" | "arguments"] => self.arguments(),
            ["cuda", "devices"] => self.devices(),
            ["cuda", "sms"] => self.sms(),
            ["cuda", "warps"] => self.warp_table(),
            ["cuda", "lanes"] => self.lanes(),
            ["cuda", "kernels"] => self.kernel_table(),
            ["cuda", "blocks"] => self.blocks(),
            ["cuda", "threads"] => self.threads(),
            ["cuda", other @ ("barriers" | "clusters" | "contexts" | "managed" | "launch")] => Err(format!("`info cuda {other}` is not supported yet")),
            ["locals"] => Err("`info locals` is not supported yet: optimised code has no homes of locals".into()),
            _ => Err("info breakpoints | registers | args | cuda devices|sms|warps|lanes|kernels|blocks|threads".into()),
        }
    }

    fn info_breakpoints(&mut self) -> Answer {
        if self.breakpoints.is_empty() {
            self.say("No breakpoints.");
        }
        for b in self.breakpoints.clone() {
            let n = b.addresses.len();
            let state = match (b.enabled, n) {
                (false, _) => "disabled".to_string(),
                (true, 0) => "pending".to_string(),
                (true, n) => format!("{n} location{}", plural(n)),
            };
            let once = if b.temporary { ", once" } else { "" };
            self.say(format!(
                "{}  {}  {state}{once}, {} hit{}",
                b.number,
                b.text,
                b.hits,
                plural(b.hits as usize)
            ));
        }
        Ok(())
    }

    fn devices(&mut self) -> Answer {
        let api = self.api()?;
        let say = |e: cudbg::Error| e.to_string();
        self.say("Dev  Name  SM type  SMs  Warps/SM  Lanes/Warp");
        for dev in 0..api.get_num_devices().map_err(say)? {
            let row = format!(
                "{dev}  {}  {}  {}  {}  {}",
                api.get_device_name(dev).map_err(say)?,
                api.get_sm_type(dev).map_err(say)?,
                api.get_num_sms(dev).map_err(say)?,
                api.get_num_warps(dev).map_err(say)?,
                api.get_num_lanes(dev).map_err(say)?
            );
            self.say(row);
        }
        Ok(())
    }

    fn sms(&mut self) -> Answer {
        let focus = self.focused()?;
        let api = self.api()?;
        self.say("SM  Active warps");
        for sm in 0..api.get_num_sms(0).map_err(|e| e.to_string())? {
            let mask = api.read_valid_warps(0, sm).map_err(|e| e.to_string())?;
            if mask != 0 {
                let mark = if sm == focus.sm { "*" } else { " " };
                self.say(format!("{mark}{sm}  {mask:#018x}"));
            }
        }
        Ok(())
    }

    fn warp_table(&mut self) -> Answer {
        let focus = self.focused()?;
        let api = self.api()?;
        self.say(format!("SM {}", focus.sm));
        self.say("Wp  Active      Divergent   PC  BlockIdx  First thread");
        for f in self.warps(false)?.into_iter().filter(|f| f.sm == focus.sm) {
            let valid = api
                .read_valid_lanes(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            let active = api
                .read_active_lanes(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            let pc = self.pc(&f)?;
            let mark = if f.wp == focus.wp { "*" } else { " " };
            self.say(format!(
                "{mark}{}  {active:#010x}  {:#010x}  {pc:#x}  {}  {}",
                f.wp,
                valid & !active,
                triple(f.block),
                triple(f.thread)
            ));
        }
        Ok(())
    }

    fn lanes(&mut self) -> Answer {
        let focus = self.focused()?;
        let state = self
            .api()?
            .read_warp_state(0, focus.sm, focus.wp)
            .map_err(|e| e.to_string())?;
        let (valid, active, lanes) = (state.validLanes, state.activeLanes, state.lane);
        self.say("Ln  State  PC  ThreadIdx  Exception");
        for (ln, lane) in lanes.into_iter().enumerate() {
            let mark = if ln as u32 == focus.lane { "*" } else { " " };
            let (pc, t, e) = (lane.virtualPC, lane.threadIdx, lane.exception);
            if valid >> ln & 1 == 0 {
                self.say(format!("{mark}{ln}  exited"));
                continue;
            }
            let state = if active >> ln & 1 != 0 {
                "active"
            } else {
                "divergent"
            };
            let e = if e.0 == 0 {
                "None".to_string()
            } else {
                format!("{e:?}")
            };
            self.say(format!(
                "{mark}{ln}  {state}  {pc:#x}  {}  {e}",
                triple([t.x, t.y, t.z])
            ));
        }
        Ok(())
    }

    fn kernel_table(&mut self) -> Answer {
        self.api()?;
        if self.kernels.is_empty() {
            self.say("No kernel has been launched yet.");
            return Ok(());
        }
        self.say("Kernel  Grid  State  GridDim  BlockDim  Name");
        for (n, k) in self.kernels.clone().into_iter().enumerate() {
            let mark = if self.focus.is_some_and(|f| f.grid == k.grid) {
                "*"
            } else {
                " "
            };
            let state = if k.ended { "ended" } else { "active" };
            self.say(format!(
                "{mark}{n}  {}  {state}  {}  {}  {}",
                k.grid,
                triple(k.grid_dim),
                triple(k.block_dim),
                k.name
            ));
        }
        Ok(())
    }

    /// Blocks on the device; neighbours in one row.
    fn blocks(&mut self) -> Answer {
        let focus = self.focused()?;
        let kernel = self
            .kernels
            .iter()
            .find(|k| k.grid == focus.grid)
            .cloned()
            .ok_or("the focus is in no kernel")?;
        let [x, y, _] = kernel.grid_dim.map(u64::from);
        let mut blocks: Vec<(u64, [u32; 3])> = self
            .warps(false)?
            .iter()
            .map(|f| {
                let [bx, by, bz] = f.block.map(u64::from);
                (bx + x * (by + y * bz), f.block)
            })
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        self.say("BlockIdx  To  Count  State");
        let mut rest = &blocks[..];
        while let Some((first, from)) = rest.first() {
            let n = rest
                .iter()
                .zip(0u64..)
                .take_while(|((b, _), i)| *b == first + i)
                .count();
            let to = rest[n - 1].1;
            let mark = if rest[..n].iter().any(|b| b.1 == focus.block) {
                "*"
            } else {
                " "
            };
            self.say(format!(
                "{mark}{}  {}  {n}  running",
                triple(*from),
                triple(to)
            ));
            rest = &rest[n..];
        }
        Ok(())
    }

    /// Threads of the focus's kernel that are on the device; neighbours at one PC in one row.
    fn threads(&mut self) -> Answer {
        let focus = self.focused()?;
        let kernel = self
            .kernels
            .iter()
            .find(|k| k.grid == focus.grid)
            .cloned()
            .ok_or("the focus is in no kernel")?;
        let (grid, block) = (
            kernel.grid_dim.map(u64::from),
            kernel.block_dim.map(u64::from),
        );
        let flat = |v: [u32; 3], d: [u64; 3]| {
            let v = v.map(u64::from);
            v[0] + d[0] * (v[1] + d[1] * v[2])
        };
        let per_block = block[0] * block[1] * block[2];
        let mut all = Vec::new();
        for f in self.warps(false)? {
            let state = self
                .api()?
                .read_warp_state(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            let (valid, lanes) = (state.validLanes, state.lane);
            for (ln, lane) in lanes
                .into_iter()
                .enumerate()
                .filter(|(ln, _)| valid >> ln & 1 != 0)
            {
                let (pc, t) = (lane.virtualPC, lane.threadIdx);
                let thread = [t.x, t.y, t.z];
                let here = (f.sm, f.wp, ln as u32) == (focus.sm, focus.wp, focus.lane);
                all.push((
                    flat(f.block, grid) * per_block + flat(thread, block),
                    f.block,
                    thread,
                    pc,
                    here,
                ));
            }
        }
        all.sort_unstable();
        self.say("BlockIdx ThreadIdx  To BlockIdx ThreadIdx  Count  PC  Line");
        let mut rest = &all[..];
        while let Some((first, b, t, pc, _)) = rest.first().copied() {
            let n = rest
                .iter()
                .zip(0u64..)
                .take_while(|(r, i)| r.0 == first + i && r.3 == pc)
                .count();
            let (_, to_b, to_t, ..) = rest[n - 1];
            let mark = if rest[..n].iter().any(|r| r.4) {
                "*"
            } else {
                " "
            };
            let place = self.image(pc).and_then(|i| i.places(pc).into_iter().next());
            let place = place.map_or("??".to_string(), |p| format!("{}:{}", p.file, p.line));
            self.say(format!(
                "{mark}{} {}  {} {}  {n}  {pc:#x}  {place}",
                triple(b),
                triple(t),
                triple(to_b),
                triple(to_t)
            ));
            rest = &rest[n..];
        }
        Ok(())
    }
}
